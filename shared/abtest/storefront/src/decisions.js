// Decisions on this page, repeated when something changes, and their effects: treatments, exposures, page views.

import { decide } from './decide.js';
import { emit, expose, report } from './events.js';
import { force } from './force.js';
import { listen, reportTo } from './guard.js';
import { select, some } from './lists.js';
import { keysOf, now } from './natives.js';
import { watchAddress } from './navigation.js';
import { notify } from './notices.js';
import { config, tagOptions } from './page.js';
import { parts } from './parts.js';
import { fail, isAbsent, putBack, update } from './treatments.js';
import { closeTurns, openTurns, turn } from './turns.js';
import { context, count, fields, keep, PAGES, sticky, VISITOR } from './visit.js';

/** @import { Assignment, Data, Decided, Decision } from './types' */

/** Attributes that the page has set. @type {Data} */
export let given;
/** @type {Decided | undefined} */
export let decided;
/** The visitor's experiments, then personalizations. @type {Decision[]} */
export let decisions = [];
let href = '';
let page = '';
/**
 * Set if the page was shown before the snippet loaded: no treatments and exposures until the next page view.
 * @type {string | undefined}
 */
export let isLate;

/** Address of the page, which a preview shows at another one. */
const hrefHere = () => parts._href?.() || location.href;

/** Identity of the page: the address without an anchor, but with a hash route. */
const pageHere = () => href.replace(/#(?![/!])[\s\S]*/, '');

/** Experiments shown on this page. */
export const assignments = () => {
  /** @type {Assignment[]} */
  const list = [];
  for (const { experiment, variation, index, active } of decided?.assignments || []) {
    if (!active || isLate || isAbsent(experiment.id)) continue;
    list[list.length] = {
      experimentId: experiment.id,
      variationId: variation.id,
      variationIndex: index,
      epoch: experiment.epoch,
    };
  }
  return list;
};

/** @param {Data} data */
export const setGiven = (data) => {
  given = data;
};

/** Report what is forced and does not exist, once. @param {Decision[]} assigned */
const refuseUnknown = (assigned) => {
  for (const id of keysOf(force._variations)) {
    if (some(assigned, ({ experiment, forced }) => forced && experiment.id === id)) continue;
    report(`nothing running is called ${id}:${force._variations[id]}`, 'force');
    delete force._variations[id];
  }
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
    customer_id: customer ? `${customer}` : undefined, // shops send 0 or false for guests
    attributes: parts._attributes ? parts._attributes(given) : given,
    sticky: sticky(config.experiments),
    surface: tagOptions.surface,
    fired: parts._fired,
    served: parts._served?.(),
  };
  const result = decide(config, visitor, parts._address?.() || location, now(), force._variations);
  parts._watchTriggers?.();
  refuseUnknown(result.assignments);
  decided = result;
  decisions = parts._withPlacements?.(result) || result.assignments;
  return result;
};

/** Count a page view. @param {Data} data */
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
  href = hrefHere();
  const isView = pageHere() !== page;
  if (force._isFlagged || (page && isView)) isLate = '';
  const { facts } = decideNow(isView);
  const active = select(decisions, (decision) => decision.active && !isLate);
  const shown = parts._redirect ? parts._redirect(active, href) : active;
  if (!shown) return;
  update(shown, facts, isView, isView && page);
  for (const decision of active) {
    if (!isAbsent(decision.experiment.id, true)) expose(decision);
    if (decision.sticky === false) keep(decision); // new: neither kept nor forced, and not a personalization
  }
  if (isView) countView();
  notify('decision', assignments());
};

/** Decide again, in a turn. */
export const decideAgain = () => turn(evaluate);

/** Set attributes, from `svc.set()`. @param {Data} data */
export const give = (data) => {
  parts._checkout?.(data);
  given = { ...given, ...data };
  decideAgain();
};

/** Start deciding; calls that waited run after the first decision. */
export const proceed = () => openTurns(evaluate);

/** Stop: remove treatments and count nothing until `proceed`. */
export const end = () => {
  closeTurns();
  page = '';
  decided = undefined;
  decisions = [];
  update([], /** @type {any} */ ({}), true);
  putBack();
};

/** Decide again when the address changes, or the page returns from the back/forward cache. */
export const watchPage = () => {
  watchAddress(() => {
    if (hrefHere() !== href) decideAgain();
  });
  listen('pageshow', (event) => {
    if (!event.persisted) return;
    page = '';
    decideAgain();
  });
};

/**
 * Set the state before the first decision.
 * @param {Data | undefined} before attributes that the page has put into `window.svc`
 */
export const setUp = (before) => {
  reportTo((error, about, decision) => {
    fail(decision);
    report(error, about, decision);
  });
  isLate = tagOptions.late;
  given = before || {};
};
