// The composition root: one visit, one set of decisions, and everything that follows from them on this page.

import { createApi } from './api.js';
import { decide } from './assign.js';
import { isBot } from './bots.js';
import { createEmit, createEmitOnce, expose } from './events.js';
import { readForce } from './force.js';
import { countClick, countPageview } from './goals.js';
import { createGuard } from './guard.js';
import { select } from './lists.js';
import { now } from './natives.js';
import { watchAddress, watchVisibility } from './navigation.js';
import { destinationOf, go } from './redirect.js';
import { createTransport } from './transport.js';
import { createTreatments } from './treatments.js';
import { createVisit } from './visit.js';

/** @import { Config, Decision, Goal, Data } from './types' */

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
 * @param {Config} config
 * @param {((() => void) | undefined)[]} scripts
 */
const boot = (config, scripts) => {
  const force = readForce(location.search);
  const quiet = isBot(navigator) && !force.qa;
  const experiments = quiet ? [] : config.experiments;
  const visit = createVisit(document, location.protocol === 'https:');
  let errors = 0;
  /** @type {Decision[]} */
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

  /** One read of the cookie before, one write after. @param {() => void} work */
  const turn = (work) => {
    if (quiet) return;
    visit.resume(now());
    work();
    visit.save();
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

  const view = () => {
    page = pageOf(href);
    emit('pageview', {});
    countPageview(decisions, location, reach);
  };

  const evaluate = () => {
    href = location.href;
    decisions = decide(experiments, visit.visitorId(), location, force);
    const active = select(decisions, (decision) => decision.active);
    if (redirect(active)) return;
    const shown = select(active, (decision) => !redirects(decision) || awayFrom(decision));
    treatments.update(shown, location);
    for (const decision of active) expose(emitOnce, decision);
    if (pageOf(href) !== page) view();
  };

  window.svc = createApi({
    guard,
    emit,
    emitOnce,
    turn,
    decisions: () => decisions,
    visitorId: visit.visitorId,
    currency: config.runtime.currency,
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
      if ('closest' in hit) turn(() => countClick(decisions, hit, location, reach));
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
    if (!window.svc) boot(config, scripts);
  } catch {}
};
