// Error boundary: no function that we call or wrap may throw into the page.

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
 * Listen on the window in the capture phase, before the page's own listeners.
 * @param {string} type
 * @param {(event: any) => void} fn
 */
export const listen = (type, fn) => addEventListener(type, guard(type, fn), true);
