// Moments at which the page becomes another, or goes: single-page navigation, the back/forward cache, leaving.

/** @import { Guard } from './types' */

/**
 * @param {Guard} guard
 * @param {() => void} onChange after the address may have changed, inside the page's own call
 */
export const watchAddress = (guard, onChange) => {
  const changed = guard('navigation', onChange);
  const { navigation } = window;
  if (navigation) {
    // Told within the page's own call, as below, whoever it calls: the page keeps the history functions it has.
    navigation.addEventListener('currententrychange', changed);
    return;
  }
  for (const name of /** @type {const} */ (['pushState', 'replaceState'])) {
    const original = history[name];
    history[name] = function () {
      const result = original.apply(this, /** @type {any} */ (arguments));
      changed();
      return result;
    };
  }
  addEventListener('popstate', changed);
  addEventListener('hashchange', changed);
};

/**
 * @param {Guard} guard
 * @param {() => void} onLeave
 * @param {() => void} onReturn from the back/forward cache
 */
export const watchVisibility = (guard, onLeave, onReturn) => {
  const leave = guard('leave', onLeave);
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') leave();
  });
  const back = guard('return', onReturn);
  addEventListener('pageshow', (event) => {
    if (event.persisted) back();
  });
};
