// The composition root: one visit, one set of decisions, and everything that follows from them on this page.

import { createApi } from './api.js';
import { isBot } from './bots.js';
import { decide } from './decide.js';
import { createEmit, createEmitOnce, expose } from './events.js';
import { enforce, readForce } from './force.js';
import { createGuard } from './guard.js';
import { select } from './lists.js';
import { now, parseJson } from './natives.js';
import { watchAddress, watchVisibility } from './navigation.js';
import { parts } from './parts.js';
import { createTransport } from './transport.js';
import { createTreatments } from './treatments.js';
import { createVisit, domainOf } from './visit.js';

/** @import { Config, Core, Data, Decided, Decision, Goal } from './types' */

const MAX_ERRORS = 10;
/** Calls that wait for consent, or in one turn. */
const MAX_WAITING = 500;

/** An anchor within a page is no new page, a hash route is. @param {string} href */
const pageOf = (href) => href.replace(/#(?![/!])[\s\S]*/, '');

/**
 * @param {Config} config
 * @param {((() => void) | string | undefined)[]} scripts
 * @param {Data} given what the page tells of its visitor
 */
const boot = (config, scripts, given) => {
  const force = readForce(location.search);
  const quiet = isBot(navigator) && !force.qa;
  const surface = document.currentScript?.dataset.surface;
  const domain = domainOf(config.runtime.domains);
  const visit = createVisit(document, location.protocol === 'https:', domain);
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
  const transport = createTransport(config, guard, domain);
  const emit = createEmit(config, visit, force, (event) => quiet || transport.add(event));
  const emitOnce = createEmitOnce(visit, force, emit);
  const treatments = createTreatments(
    config,
    scripts,
    guard,
    (decision) => turn(() => expose(emitOnce, decision)),
    (decision, kind) => turn(() => emit('sdk_perf', { kind }, decision)),
  );

  /** What is to be done; it waits until there is consent and the visitor is known. @type {(() => void)[]} */
  let works = [];
  let open = false;

  /** One read of the cookie before, one write after; what comes up meanwhile is done in the same turn. */
  const work = () => {
    try {
      visit.resume(now());
      for (const next of works) guard('turn', next)();
    } finally {
      works = [];
      visit.save();
    }
  };

  /** @param {() => void} next */
  const turn = (next) => {
    if (quiet || works.length >= MAX_WAITING) return;
    works[works.length] = next;
    if (open && works.length < 2) work();
  };

  const again = () => turn(evaluate);
  const triggers = parts._triggers?.(guard, again);
  let source = parts._sourceOf?.() || '';

  /** @param {boolean} isView */
  const decideNow = (isView) => {
    triggers?.begin(isView);
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
        attributes: parts._attributes ? parts._attributes(visit, triggers?.data, given) : given,
        sticky: visit.sticky(config.experiments),
        surface,
        fired: triggers?.fired,
      },
      location,
      now(),
      force.variations,
    );
    triggers?.watch();
    decisions = decided.assignments;
    for (const placement of decided.personalizations) {
      decisions = [...decisions, parts._asDecision(placement)];
    }
    return decided;
  };

  /**
   * @param {Goal} goal
   * @param {Data} data
   */
  const reach = (goal, data) =>
    goal.once === false ? emit('goal', data) : emitOnce(`goal:${goal.id}`, 'goal', data);

  /** @param {Data} data */
  const pageview = (data) => {
    const cohort = decided?.cohort;
    emit('pageview', cohort ? { ...data, cohort, holdout_config_epoch: config.holdout?.epoch } : data);
  };

  /** @param {Decided} found */
  const view = ({ facts }) => {
    page = pageOf(href);
    pageview({});
    parts._countPageview?.(decisions, facts, reach);
  };

  const evaluate = () => {
    href = location.href;
    const isView = pageOf(href) !== page;
    const found = decideNow(isView);
    const active = select(decisions, (decision) => decision.active);
    const shown = parts._redirect ? parts._redirect(core, active, href) : active;
    if (!shown) return;
    treatments.update(shown, found.facts, isView);
    for (const decision of active) if (!treatments.isAwaited(decision)) expose(emitOnce, decision);
    for (const decision of found.assignments) if (decision.active && !decision.forced) visit.keep(decision);
    if (isView) view(found);
  };

  /** @param {Data} data */
  const give = (data) => {
    parts._checkout?.(core, data);
    given = { ...given, ...data };
    turn(evaluate);
  };

  const api = createApi({
    guard,
    emit,
    emitOnce,
    turn,
    decided: () => decided,
    visitorId: visit.visitorId,
    cart: () => parts._cart?.(visit) || {},
    currency: config.runtime.currency,
    note: (name) => triggers?.note(name),
    give,
    force(id, variation) {
      enforce(force, id, variation);
      again();
    },
    ready: (next) => (quiet ? next() : turn(next)),
  });
  /** @type {any} */ (window).svc = api;

  /** @type {Core} */
  const core = {
    _config: config,
    _scripts: scripts,
    _guard: guard,
    _visit: visit,
    _transport: transport,
    _emit: emit,
    _emitOnce: emitOnce,
    _api: api,
    _turn: turn,
    _give: give,
    _know(change) {
      given = change(given);
    },
    _pageview: pageview,
    _again: again,
    _surface: surface,
    _triggers: triggers,
  };

  /** The visitor is known: from here on things are decided, then counted, with what waited for it. */
  const proceed = () => {
    open = true;
    works = [evaluate, ...works];
    work();
  };

  /** Begins, or begins again after consent was taken back. */
  let begin = proceed;

  /** Nothing is done, shown or counted any longer; what waits is dropped. */
  const end = () => {
    open = false;
    works = [];
    page = '';
    decided = undefined;
    decisions = [];
    treatments.update([], /** @type {any} */ ({}), true);
  };

  if (quiet) return;
  guard('start', () => {
    // What the page has pushed so far is known when it is first decided.
    if (config.signals?.triggers) parts._signals(core);
    parts._checkout?.(core, given);
    if (config.runtime.handover) begin = parts._handover(core, proceed); // its parameter is gone before all else
    if (config.runtime.consent) parts._consent(core, begin, end);
    else begin();
  })();

  watchAddress(guard, () => {
    if (location.href !== href) again();
  });
  watchVisibility(guard, transport.leave, () => {
    page = '';
    again();
  });
  if (!parts._countClick) return;
  document.addEventListener(
    'click',
    guard('click', (event) => {
      const hit = /** @type {Element} */ (event.composedPath()[0]);
      if ('closest' in hit) turn(() => decided && parts._countClick(decisions, hit, decided.facts, reach));
    }),
    true,
  );
};

/**
 * Starts the SDK on this page, once, and never throws.
 * @param {Config | string} given the config, or its JSON
 * @param {((() => void) | string | undefined)[]} scripts what the config's script indices name: functions, and chunks
 */
export const start = (given, scripts) => {
  try {
    const before = /** @type {Data | undefined} */ (/** @type {unknown} */ (window.svc));
    if (typeof before?.ready === 'function') return; // the snippet stands on the page twice
    const config = typeof given === 'string' ? parseJson(given) : given;
    if (config.runtime.environments && parts._environments(config)) return; // another environment's snippet comes
    boot(config, scripts, before || {});
  } catch {}
};
