// Part that drops treatments for the rest of a page view: those that their own scripts start and end again and again,
// and those not ready in time. A dropped treatment is removed and not counted.

import { emit, expose } from './events.js';
import { guard } from './guard.js';
import { record, select, some } from './lists.js';
import { startTimer } from './natives.js';
import { parts } from './parts.js';
import { flush } from './transport.js';
import { abandon, active } from './treatments.js';
import { turn } from './turns.js';

/** Starts of one treatment in a page view; ends the loop of a script that makes its treatment end and begin. */
const MAX_TURNS = 20;

/** Starts in this page view, by treatment. @type {Record<string, number>} */
let turns = record();

/** @type {(treatment: import('./types').Treatment, kind: string) => void} */
export const drop = guard('treatments', (treatment, kind) => {
  if (treatment._ran || treatment._dropped) return;
  abandon(treatment);
  const { _decision: decision } = treatment;
  if (some(active, (one) => one === treatment)) turn(() => emit('sdk_perf', { kind }, decision));
});

parts._beginView = () => {
  turns = record();
};

parts._flaps = (treatment) => {
  const { _key: key } = treatment;
  turns[key] = (turns[key] || 0) + 1;
  if (turns[key] > MAX_TURNS) drop(treatment, 'flapping');
  return !!treatment._dropped;
};

/** Count the exposures of treatments that have waited for their scripts. */
parts._countRuns = (ran) => {
  const shown = select(ran, ({ _dropped, _waits }) => _waits && !_dropped);
  if (!shown.length) return;
  turn(() => {
    for (const { _decision } of shown) expose(_decision);
  });
  startTimer(flush, 0); // browsers say nothing to tabs that are closed about now
};
