// Composition root: starts the SDK on a page, from the snippet's call to the first decision.

import { isBot } from './bots.js';
import { end, given, proceed, setUp, watchPage } from './decisions.js';
import { createApi } from './api.js';
import { force, readForce } from './force.js';
import { guard } from './guard.js';
import { isInspected } from './inspection.js';
import { config, setPage } from './page.js';
import { parts } from './parts.js';
import { openTransport, startTransport } from './transport.js';
import { openVisit, peek } from './visit.js';

/** @import { Config, Data, Scripts } from './types' */

const startParts = () => {
  parts._land?.();
  parts._startMutations?.();
  parts._startTriggers?.();
  parts._startClicks?.();
};

/** Install `window.svc`. Return whether nothing is decided for this visitor. */
export const open = () => {
  openVisit(parts._preview?.() || document);
  const isQuiet = isBot(navigator) && !force._isFlagged;
  /** @type {any} */ (window).svc = createApi(isQuiet);
  return isQuiet;
};

/** Begin, now or with consent if the shop asks for it. */
export const run = ({ consent, exposures: destinations, handover } = config.runtime) => {
  startTransport();
  if (!parts._isUncounted?.()) openTransport(!consent);
  startParts();
  // Triggers run first, so that the first decision knows what the page has pushed so far.
  if (config.signals?.triggers) parts._signals();
  parts._checkout?.(given);
  if (destinations) parts._passOn(destinations);
  const begin = handover ? parts._handover(proceed) : proceed; // removes its parameter from the address at once
  // A cookie of the session may call for the tool; it is not read before.
  if (consent) parts._consent(() => isInspected(begin, peek()) || begin(), end);
  else begin();
  watchPage();
};

/**
 * Start the SDK on this page, once. Never throws.
 * @param {Config | string} startedWith the config, or its JSON
 * @param {Scripts} named functions and names of chunks, at the indices used in the config
 */
export const start = guard(
  'start',
  (/** @type {Config | string} */ startedWith, /** @type {Scripts} */ named) => {
    const before = /** @type {Data | undefined} */ (/** @type {unknown} */ (window.svc));
    if (typeof before?.chunk === 'function') return; // the page contains the snippet twice
    setPage(typeof startedWith === 'string' ? parts._parse(startedWith) : startedWith, named);
    setUp(before);
    if (config.runtime.environments && parts._environments()) return; // another environment's snippet loads instead
    readForce(location.search);
    const isQuiet = open();
    const go = () => isQuiet || run();
    isInspected(go, config.runtime.consent ? '' : peek()) || go();
  },
);
