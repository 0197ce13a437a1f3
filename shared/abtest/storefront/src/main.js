// The composition root: what happens on a page, from the snippet's call to the first decision.

import { isBot } from './bots.js';
import { end, given, proceed, setUp, watchPage } from './decisions.js';
import { createApi } from './api.js';
import { force, readForce } from './force.js';
import { guard } from './guard.js';
import { config, setPage } from './page.js';
import { parts } from './parts.js';
import { openTransport, startTransport } from './transport.js';
import { openVisit } from './visit.js';

/** @import { Config, Data, Scripts } from './types' */

const boot = () => {
  const { consent, handover } = config.runtime;
  readForce(location.search);
  const isQuiet = isBot(navigator) && !force._isFlagged;
  openVisit(document);
  /** @type {any} */ (window).svc = createApi(isQuiet);
  if (isQuiet) return;
  parts._land?.();
  startTransport();
  openTransport(!consent);
  parts._startMutations?.();
  parts._startTriggers?.();
  parts._startClicks?.();
  // What the page has pushed so far is known when it is first decided.
  if (config.signals?.triggers) parts._signals();
  parts._checkout?.(given);
  const begin = handover ? parts._handover(proceed) : proceed; // its parameter is gone before all else
  if (consent) parts._consent(begin, end);
  else begin();
  watchPage();
};

/**
 * Starts the SDK on this page, once, and never throws.
 * @param {Config | string} startedWith the config, or its JSON
 * @param {Scripts} scripts what the config's script indices name: functions, and chunks
 */
export const start = guard(
  'start',
  (/** @type {Config | string} */ startedWith, /** @type {Scripts} */ scripts) => {
    const before = /** @type {Data | undefined} */ (/** @type {unknown} */ (window.svc));
    if (typeof before?.chunk === 'function') return; // the snippet stands on the page twice
    setPage(typeof startedWith === 'string' ? parts._parse(startedWith) : startedWith, scripts);
    setUp(before);
    if (config.runtime.environments && parts._environments()) return; // another environment's snippet comes
    boot();
  },
);
