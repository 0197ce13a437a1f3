// What page code can listen to with `svc.on`: exposures, decisions, events, consent and errors.

import { guard } from './guard.js';

/** Limit of notices that are kept for those who listen later. */
const MAX_KEPT = 500;

/** @type {[name: string, detail: any][]} */
const kept = [];
/** @type {((notice: [string, any]) => void)[]} */
const listeners = [];

/**
 * Notify those who listen, now or later.
 * @param {string} name
 * @param {any} detail
 */
export const notify = (name, detail) => {
  /** @type {[string, any]} */
  const notice = [name, detail];
  if (kept.length < MAX_KEPT) kept[kept.length] = notice;
  const { length } = listeners; // who begins to listen now has been given it already
  for (let i = 0; i < length; i++) listeners[i](notice);
};

/**
 * Call `fn` with the notices of a name so far, then with each that follows. The snippet decides before the page's own
 * code runs, which would otherwise miss the first ones.
 * @param {string} name
 * @param {(detail: any) => void} fn
 * @returns {() => void} ends it
 */
export const hear = (name, fn) => {
  let isOn = true;
  const listener = guard('on', (/** @type {[string, any]} */ [about, detail]) => {
    if (isOn && about === name) fn(detail);
  });
  for (const notice of kept) listener(notice);
  listeners[listeners.length] = listener;
  return () => {
    isOn = false;
  };
};
