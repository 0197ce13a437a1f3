// What is decided on this page, anew when something changes, and what follows: treatments, exposures, page views.

import { decide } from './decide.js';
import { emit, expose } from './events.js';
import { force } from './force.js';
import { listen } from './guard.js';
import { select } from './lists.js';
import { now } from './natives.js';
import { watchAddress } from './navigation.js';
import { config, said } from './page.js';
import { parts } from './parts.js';
import { putBack, update } from './treatments.js';
import { closeTurns, openTurns, turn } from './turns.js';
import { context, count, fields, keep, PAGES, sticky, VISITOR } from './visit.js';

/** @import { Data, Decided, Decision } from './types' */

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
  pageview(context());
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

/** What the page tells of its visitor from now on. @param {Data} data */
export const give = (data) => {
  parts._checkout?.(data);
  given = { ...given, ...data };
  again();
};

/** From here on things are decided, then counted, with what waited for it. */
export const proceed = () => openTurns(evaluate);

/** Nothing is done, shown or counted any longer. */
export const end = () => {
  closeTurns();
  page = '';
  decided = undefined;
  decisions = [];
  update([], /** @type {any} */ ({}), true);
  putBack();
};

/** Decides anew where the page becomes another. */
export const watchPage = () => {
  watchAddress(() => {
    if (location.href !== href) again();
  });
  listen('pageshow', (event) => {
    if (!event.persisted) return;
    page = '';
    again();
  });
};

/** What is known before anything is decided. @param {Data | undefined} before what the page has said in `window.svc` */
export const setUp = (before) => {
  isLate = said.late;
  given = before || {};
};
