// Moments at which the page becomes another: single-page navigation, and the back/forward cache.

import { guard, listen } from './guard.js';

/** @param {() => void} onChange after the address may have changed, inside the page's own call */
export const watchAddress = (onChange) => {
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
  listen('popstate', changed);
  listen('hashchange', changed);
};
