// What page code can listen to with `svc.on`: exposures, decisions, events, consent and errors.

import { guard } from './guard.js';
import { select } from './lists.js';

/** @typedef {(name: string, detail: any) => void} Listener */

/** Limit of notices that are kept for those who listen later. */
const MAX_KEPT = 500;

/** @type {[name: string, detail: any][]} */
const kept = [];
/** Replaced when one is added or removed, so that a loop over them goes on undisturbed. @type {Listener[]} */
let listeners = [];

/**
 * Notify those who listen, now or later.
 * @param {string} name
 * @param {any} detail
 */
export const notify = (name, detail) => {
  if (kept.length < MAX_KEPT) kept[kept.length] = [name, detail];
  for (const listener of listeners) listener(name, detail);
};

/**
 * Call `fn` with the notices of a name so far, then with each that follows. The snippet decides before the page's own
 * code runs, which would otherwise miss the first ones.
 * @param {string} name
 * @param {(detail: any) => void} fn
 * @returns {() => void} ends it
 */
export const hear = (name, fn) => {
  /** @type {Listener} */
  const listener = guard('on', (about, detail) => {
    if (about === name) fn(detail);
  });
  for (const notice of kept) listener(...notice);
  listeners = [...listeners, listener];
  return () => {
    listeners = select(listeners, (each) => each !== listener);
  };
};
