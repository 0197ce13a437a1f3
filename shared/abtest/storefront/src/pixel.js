// The pixel of external domains: takes a visitor over from the shop and counts what happens here. No experiments.

import './consent.js';
import './handover.js';
import { createApi } from './api.js';
import { isBot } from './bots.js';
import { createEmit, createEmitOnce } from './events.js';
import { readForce } from './force.js';
import { createGuard } from './guard.js';
import { now } from './natives.js';
import { watchVisibility } from './navigation.js';
import { watchOrders } from './orders.js';
import { parts } from './parts.js';
import { createTransport } from './transport.js';
import { createVisit } from './visit.js';

/** @import { Core, PixelConfig } from './types' */

const MAX_WAITING = 500;
const MAX_ERRORS = 10;

/** Where cookies are kept: a sandboxed frame has none, and its visitor lasts as long as the frame. */
const jar = () => {
  try {
    return document.cookie === undefined ? { cookie: '' } : document;
  } catch {
    return { cookie: '' };
  }
};

/**
 * @param {PixelConfig} config
 * @param {Function[]} scripts
 */
const boot = (config, scripts) => {
  const { runtime, pixel } = config;
  const force = readForce(location.search);
  const quiet = isBot(navigator) && !force.qa;
  const visit = createVisit(jar(), location.protocol === 'https:');
  let errors = 0;
  /** @type {(() => void)[]} */
  let works = [];
  let open = false;

  const guard = createGuard((error, about) => {
    if (errors++ >= MAX_ERRORS) return;
    emit('sdk_error', { source: about, message: `${/** @type {any} */ (error)?.message || error}`.slice(0, 500) });
  });
  const transport = createTransport(config, guard);
  const emit = createEmit(config, visit, force, transport.add);
  const emitOnce = createEmitOnce(visit, force, emit);

  const work = () => {
    try {
      visit.resume(now());
      for (const next of works) guard('turn', next)();
    } finally {
      works = [];
      visit.save();
    }
  };

  /** Waits for consent and for the visitor. @param {() => void} next */
  const turn = (next) => {
    if (quiet || works.length >= MAX_WAITING) return;
    works[works.length] = next;
    if (open && works.length < 2) work();
  };

  const { track, consent } = createApi({
    guard,
    emit,
    emitOnce,
    turn,
    decided: () => undefined,
    visitorId: visit.visitorId,
    cart: () => ({}),
    currency: runtime.currency,
    note() {},
    give() {},
    ready(next) {
      next();
    },
    force() {},
  });
  /** @type {any} */ (window)[pixel.name] = { track, consent, visitorId: visit.visitorId };
  if (quiet) return;

  const core = /** @type {Core} */ (
    /** @type {Partial<Core>} */ ({
      _config: config,
      _scripts: scripts,
      _guard: guard,
      _visit: visit,
      _transport: transport,
      _turn: turn,
      _emitOnce: emitOnce,
    })
  );
  const proceed = () => {
    open = true;
    work();
  };
  const end = () => {
    open = false;
    works = [];
  };
  let begin = proceed;
  guard('handover', () => {
    if (runtime.handover) begin = parts._handover(core, proceed);
  })();
  guard('start', () => {
    if (runtime.consent) parts._consent(core, begin, end);
    else begin();
  })();
  watchOrders(pixel.orders, guard, (order) => track('order', order));
  watchVisibility(guard, transport.leave, () => {});
};

/**
 * Starts the pixel on this page, once, and never throws.
 * @param {PixelConfig} config
 * @param {Function[]} scripts what the config's script indices name
 */
export const start = (config, scripts) => {
  try {
    if (!(/** @type {any} */ (window)[config.pixel.name])) boot(config, scripts);
  } catch {}
};
