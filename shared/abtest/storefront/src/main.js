// The composition root: one visit, one set of decisions, and everything that follows from them on this page.

import { isBot } from './bots.js';
import { decide } from './decide.js';
import { emit, expose } from './events.js';
import { enforce, force, readForce } from './force.js';
import { guard, listen } from './guard.js';
import { select } from './lists.js';
import { now } from './natives.js';
import { watchAddress } from './navigation.js';
import { config, said, setPage } from './page.js';
import { parts } from './parts.js';
import { track } from './track.js';
import { openTransport, startTransport } from './transport.js';
import { putBack, update } from './treatments.js';
import { closeTurns, openTurns, turn } from './turns.js';
import { count, fields, keep, openVisit, PAGES, sticky, VISITOR } from './visit.js';

/** @import { Api, Assignment, Config, Data, Decided, Decision, Scripts } from './types' */

/** What the page tells of its visitor. @type {Data} */
export let given;
/** @type {Decided | undefined} */
export let decided;
/** What the visitor is part of: experiments, then personalizations. @type {Decision[]} */
export let decisions = [];
let href = '';
let page = '';
/**
 * Set where the page was shown before the snippet had come: nothing is treated or exposed until another view.
 * @type {string | undefined}
 */
export let isLate;

/** An anchor within a page is no new page, a hash route is. */
const pageHere = () => href.replace(/#(?![/!])[\s\S]*/, '');

/** @param {Data} data */
export const setGiven = (data) => {
  given = data;
};

/** @param {boolean} isView */
const decideNow = (isView) => {
  const { customer_id: customer } = given;
  parts._beginTriggers?.(isView);
  if (isView) {
    count(PAGES);
    parts._arrive?.();
  }
  const visitor = {
    id: fields[VISITOR],
    customer_id: customer ? `${customer}` : undefined, // shops say 0 or false of guests
    attributes: parts._attributes ? parts._attributes(given) : given,
    sticky: sticky(config.experiments),
    surface: said.surface,
    fired: parts._fired,
  };
  const found = decide(config, visitor, location, now(), force._variations);
  parts._watchTriggers?.();
  decided = found;
  decisions = parts._withPlacements?.(found) || found.assignments;
  return found;
};

/** Counts a page view. @param {Data} data */
export const pageview = (data) => {
  emit('pageview', parts._withCohort?.(data) || data);
};

const countView = () => {
  page = pageHere();
  pageview({});
  if (isLate) emit('sdk_perf', { kind: 'timeout' });
  parts._countPageview?.();
};

const evaluate = () => {
  href = location.href;
  const isView = pageHere() !== page;
  if (force._isFlagged || (page && isView)) isLate = '';
  const { facts } = decideNow(isView);
  const active = select(decisions, (decision) => decision.active && !isLate);
  const shown = parts._redirect ? parts._redirect(active, href) : active;
  if (!shown) return;
  update(shown, facts, isView, isView && page);
  for (const decision of active) {
    if (!parts._isAwaited?.(decision)) expose(decision);
    if (decision.sticky === false) keep(decision); // neither kept before nor forced, and no personalization
  }
  if (isView) countView();
};

/** Decides anew. */
export const again = () => turn(evaluate);

/** @param {Data} data */
const give = (data) => {
  parts._checkout?.(data);
  given = { ...given, ...data };
  again();
};

const assignments = () => {
  /** @type {Assignment[]} */
  const list = [];
  for (const { experiment, variation, index, active } of decided?.assignments || []) {
    if (!active || isLate) continue;
    list[list.length] = {
      experimentId: experiment.id,
      variationId: variation.id,
      variationIndex: index,
      epoch: experiment.epoch,
    };
  }
  return list;
};

/** From here on things are decided, then counted, with what waited for it. */
const proceed = () => openTurns(evaluate);

/** Nothing is done, shown or counted any longer. */
const end = () => {
  closeTurns();
  page = '';
  decided = undefined;
  decisions = [];
  update([], /** @type {any} */ ({}), true);
  putBack();
};

/** The one global, and all that a shop's own code may rely on. @param {boolean} isQuiet */
const createApi = (isQuiet) => {
  /** @type {Api} */
  const api = {
    track: guard('track', (name, data) => turn(() => track(name, data || {}))),
    set: guard('set', (data) => give(data || {})),

    flag: (key, fallback) => (parts._flagOf ? parts._flagOf(key, fallback) : fallback),
    personalization: (key) => parts._valueOf?.(key),
    assignments,
    visitorId: () => fields[VISITOR],
    cart: () => parts._cart?.() || {},

    ready: guard('ready', (fn) => {
      const tell = guard('ready', () => fn(api));
      if (isQuiet) tell();
      else turn(tell);
    }),

    force: guard('force', (id, variation) => {
      enforce(id, variation);
      again();
    }),

    consent: guard('consent', (granted) => parts._consented?.(granted)),
    chunk: guard('chunk', (name, fn) => parts._chunk?.(name, fn)),
  };
  return api;
};

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
  watchAddress(() => {
    if (location.href !== href) again();
  });
  listen('pageshow', (event) => {
    if (!event.persisted) return;
    page = '';
    again();
  });
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
    isLate = said.late;
    given = before || {};
    if (config.runtime.environments && parts._environments()) return; // another environment's snippet comes
    boot();
  },
);
