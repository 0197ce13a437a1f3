// Detects single-page navigation.

import { guard, listen } from './guard.js';

/** @param {() => void} onChange called when the address may have changed, inside the page's own call */
export const watchAddress = (onChange) => {
  const changed = guard('navigation', onChange);
  const { navigation } = window;
  if (navigation) {
    // Fires within the page's own call, as the wrappers below do, and leaves the page's history functions alone.
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
