// The composition root: one visit, one set of decisions, and everything that follows from them on this page.

import { createApi } from './api.js';
import { isBot } from './bots.js';
import { browserAttributes, trafficSourceOf } from './browser_attributes.js';
import { decide } from './decide.js';
import { createEmit, createEmitOnce, expose } from './events.js';
import { readForce } from './force.js';
import { countClick, countPageview } from './goals.js';
import { createGuard } from './guard.js';
import { overlay, select } from './lists.js';
import { now } from './natives.js';
import { watchAddress, watchVisibility } from './navigation.js';
import { destinationOf, go } from './redirect.js';
import { createTransport } from './transport.js';
import { createTreatments } from './treatments.js';
import { createTriggers } from './triggers.js';
import { createVisit } from './visit.js';

/** @import { Config, Data, Decided, Decision, Goal, Placement } from './types' */

const MAX_ERRORS = 10;

/** An anchor within a page is no new page, a hash route is. @param {string} href */
const pageOf = (href) => href.replace(/#(?![/!])[\s\S]*/, '');

/**
 * A redirect treatment's content belongs to the page it leads away from: where it leads, it only attributes.
 * @param {Decision} decision
 */
const redirects = ({ experiment, variation }) =>
  experiment.type === 'redirect' && !variation.control && !!variation.redirect_url;

/**
 * A personalization is delivered and measured as an experiment of its own for each experience: with it, or without.
 * @param {Placement} placement
 * @returns {Decision}
 */
const asDecision = ({ personalization, experience, shown }) => ({
  experiment: {
    id: experience.id,
    epoch: 1,
    state: personalization.state,
    type: 'mutation',
    reset_js: shown ? experience.reset_js : undefined,
    goals: personalization.goals,
  },
  variation: shown ? experience : { id: personalization.id },
  index: 0,
  active: true,
});

/**
 * @param {Config} config
 * @param {((() => void) | undefined)[]} scripts
 * @param {Data} given what the page tells of its visitor
 */
const boot = (config, scripts, given) => {
  const force = readForce(location.search);
  const quiet = isBot(navigator) && !force.qa;
  const surface = document.currentScript?.dataset.surface;
  const visit = createVisit(document, location.protocol === 'https:');
  let errors = 0;
  /** @type {Decided | undefined} */
  let decided;
  /** What the visitor is part of: experiments, then personalizations. @type {Decision[]} */
  let decisions = [];
  let href = '';
  let page = '';

  const guard = createGuard((error, about, decision) => {
    if (errors++ >= MAX_ERRORS) return;
    const { message = `${error}`, stack = '' } = /** @type {Error} */ (error || {});
    emit(
      'sdk_error',
      { source: about, message: `${message}`.slice(0, 500), stack: `${stack}`.slice(0, 2000) },
      decision,
    );
  });
  const transport = createTransport(config, guard);
  const emit = createEmit(config, visit, force, (event) => quiet || transport.add(event));
  const emitOnce = createEmitOnce(visit, force, emit);
  const treatments = createTreatments(scripts, guard);

  /** @type {(() => void)[]} */
  let works = [];

  /**
   * One read of the cookie before, one write after; what comes up meanwhile is done in the same turn.
   * @param {() => void} work
   */
  const turn = (work) => {
    if (quiet) return;
    works[works.length] = work;
    if (works.length > 1) return;
    try {
      visit.resume(now());
      for (const next of works) next();
    } finally {
      works = [];
      visit.save();
    }
  };

  const triggers = createTriggers(guard, () => turn(evaluate));
  let source = trafficSourceOf(location.search, document.referrer, location.hostname);

  /** @param {boolean} isView */
  const decideNow = (isView) => {
    triggers.begin(isView);
    if (isView) {
      visit.arrive(source);
      source = 'internal';
    }
    const { customer_id: customer } = given;
    decided = decide(
      config,
      {
        id: visit.visitorId(),
        customer_id: customer ? `${customer}` : undefined, // shops say 0 or false of guests
        attributes: overlay(browserAttributes(visit, triggers.data), given),
        sticky: visit.sticky(config.experiments),
        surface,
        fired: triggers.fired,
      },
      location,
      now(),
      force.variations,
    );
    triggers.watch();
    decisions = decided.assignments;
    for (const placement of decided.personalizations) decisions = [...decisions, asDecision(placement)];
    return decided;
  };

  /**
   * @param {Goal} goal
   * @param {Data} data
   */
  const reach = (goal, data) =>
    goal.once === false ? emit('goal', data) : emitOnce(`goal:${goal.id}`, 'goal', data);

  /** Where the decision leads from here, if anywhere. @param {Decision} decision */
  const awayFrom = (decision) =>
    redirects(decision) ? destinationOf(decision.variation.redirect_url || '', href) : undefined;

  /** Counts the exposure and leaves, where a redirect wants to. @param {Decision[]} active */
  const redirect = (active) => {
    for (const decision of active) {
      const target = awayFrom(decision);
      if (!target || !visit.hop()) continue;
      expose(emitOnce, decision);
      visit.save();
      transport.flush();
      go(target);
      return true;
    }
    return false;
  };

  /** @param {Decided} found */
  const view = ({ cohort, facts }) => {
    page = pageOf(href);
    emit('pageview', cohort ? { cohort, holdout_config_epoch: config.holdout?.epoch } : {});
    countPageview(decisions, facts, reach);
  };

  const evaluate = () => {
    href = location.href;
    const isView = pageOf(href) !== page;
    const found = decideNow(isView);
    const active = select(decisions, (decision) => decision.active);
    if (redirect(active)) return;
    const shown = select(active, (decision) => !redirects(decision) || awayFrom(decision));
    treatments.update(shown, found.facts);
    for (const decision of active) expose(emitOnce, decision);
    for (const decision of found.assignments) if (decision.active && !decision.forced) visit.keep(decision);
    if (isView) view(found);
  };

  window.svc = createApi({
    guard,
    emit,
    emitOnce,
    turn,
    decided: () => decided,
    visitorId: visit.visitorId,
    currency: config.runtime.currency,
    note: triggers.note,
    give(data) {
      given = { ...given, ...data };
      evaluate();
    },
  });
  guard('start', () => turn(evaluate))();
  if (quiet) return;

  watchAddress(guard, () => {
    if (location.href !== href) turn(evaluate);
  });
  watchVisibility(guard, transport.leave, () => {
    page = '';
    turn(evaluate);
  });
  document.addEventListener(
    'click',
    guard('click', (event) => {
      const hit = /** @type {Element} */ (event.composedPath()[0]);
      if ('closest' in hit) turn(() => decided && countClick(decisions, hit, decided.facts, reach));
    }),
    true,
  );
};

/**
 * Starts the SDK on this page, once, and never throws.
 * @param {Config} config
 * @param {((() => void) | undefined)[]} scripts the functions that the config's script indices name
 */
export const start = (config, scripts) => {
  try {
    const before = window.svc;
    if (typeof before?.ready !== 'function') boot(config, scripts, /** @type {Data} */ (before || {}));
  } catch {}
};
