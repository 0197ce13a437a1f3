// The one place where errors stop: nothing we call or wrap may throw into the page.

/** @import { Decision, Guard } from './types' */

/** @type {(error: unknown, about: string, decision?: Decision) => void} */
let report;

/** @param {typeof report} to */
export const reportTo = (to) => {
  report = to;
};

/** @type {Guard} */
export const guard =
  (about, fn, decision) =>
  (...args) => {
    try {
      fn(...args);
    } catch (error) {
      try {
        report(error, about, decision);
      } catch {}
    }
  };

/**
 * Listens on the window, before the page does: what happens in the document comes by there.
 * @param {string} type
 * @param {(event: any) => void} fn
 */
export const listen = (type, fn) => addEventListener(type, guard(type, fn), true);
