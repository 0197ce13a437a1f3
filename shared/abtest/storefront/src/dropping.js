// The part that gives treatments up for a page view: those whose own scripts make them leave and come, and those that
// do not stand in time. What is given up is not there at all, and does not count.

import { emit } from './events.js';
import { guard } from './guard.js';
import { record, some } from './lists.js';
import { parts } from './parts.js';
import { active, takeBack } from './treatments.js';
import { turn } from './turns.js';

/** As often may a treatment begin in one page view: one whose own script makes it leave and come must end. */
const MAX_TURNS = 20;

/** How often each began in this page view. @type {Record<string, number>} */
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
