// Loads the bar, a script of its own, after the page is parsed: it must not be slower for being looked at.

import { load } from '../src/chunks.js';
import { toolAddress } from '../src/inspection.js';
import { whenParsed } from '../src/treatments.js';
import { policyOf } from '../src/trusted.js';

/** Changes that come together are shown together. */
const QUIET_MS = 100;

/**
 * @param {Record<string, any>} inspector what the bar shows and does
 * @returns {() => void} to be called when something has changed
 */
export const showBar = (inspector) => {
  const root = /** @type {any} */ (document.documentElement);
  /** @type {(() => void)[]} */
  const listeners = [];
  let timer = 0;
  root.svc = {
    ...inspector,
    onChange(/** @type {() => void} */ fn) {
      listeners.push(fn);
    },
  };
  whenParsed(() => {
    const script = document.createElement('script');
    const url = toolAddress('svc_bar=1');
    script.src = policyOf()?.createScriptURL(url) ?? url;
    load(script);
  });
  return () => {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      for (const listener of listeners) listener();
    }, QUIET_MS);
  };
};
