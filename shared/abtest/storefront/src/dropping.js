// Part that drops treatments for the rest of a page view: those that their own scripts start and end again and again,
// and those not ready in time. A dropped treatment is removed and not counted.

import { emit } from './events.js';
import { guard } from './guard.js';
import { record, some } from './lists.js';
import { parts } from './parts.js';
import { active, takeBack } from './treatments.js';
import { turn } from './turns.js';

/** Starts of one treatment in a page view; ends the loop of a script that makes its treatment end and begin. */
const MAX_TURNS = 20;

/** Starts in this page view, by treatment. @type {Record<string, number>} */
let turns = record();

/** @type {(treatment: import('./types').Treatment, kind: string) => void} */
export const drop = guard('treatments', (treatment, kind) => {
  if (treatment._ran || treatment._dropped) return;
  treatment._dropped = true;
  parts._retire?.(treatment._rules);
  takeBack([treatment]);
  const { _decision: decision } = treatment;
  if (some(active, (one) => one === treatment)) turn(() => emit('sdk_perf', { kind }, decision));
});

parts._beginView = () => {
  turns = record();
};

parts._flaps = (treatment) => {
  const { _key: key } = treatment;
  turns[key] = (turns[key] || 0) + 1;
  treatment._waits = turns[key] > MAX_TURNS;
  if (treatment._waits) drop(treatment, 'flapping');
  return treatment._waits;
};

parts._isAwaited = ({ experiment }) =>
  some(active, ({ _decision, _ran, _waits }) => !!_waits && !_ran && _decision.experiment.id === experiment.id);
