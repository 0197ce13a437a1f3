// The one place where errors stop: nothing we call or wrap may throw into the page.

/** @import { Decision, Guard } from './types' */

/**
 * @param {(error: unknown, about: string, decision?: Decision) => void} report
 * @returns {Guard}
 */
export const createGuard =
  (report) =>
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
