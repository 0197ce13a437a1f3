// Pixel for external domains: adopts the visitor handed over by the shop and counts events. It has no experiments.

import './consent.js';
import './handover.js';
import { isBot } from './bots.js';
import { report } from './events.js';
import { force, readForce } from './force.js';
import { guard, reportTo } from './guard.js';
import { watchOrders } from './orders.js';
import { setPage } from './page.js';
import { parts } from './parts.js';
import { track } from './track.js';
import { openTransport, startTransport } from './transport.js';
import { closeTurns, openTurns, turn } from './turns.js';
import { fields, openVisit, VISITOR } from './visit.js';

/** @import { PixelConfig, Scripts } from './types' */

/** Cookie store: a sandboxed frame has none, so its visitor lasts as long as the frame. */
const jar = () => {
  try {
    return document.cookie === undefined ? { cookie: '' } : document;
  } catch {
    return { cookie: '' };
  }
};

/** @param {PixelConfig} config */
const boot = ({ runtime: { consent, handover }, pixel }) => {
  const tell = guard('track', (/** @type {string} */ name, /** @type {any} */ data) =>
    turn(() => track(name, data || {})),
  );
  /** @type {any} */ (window)[pixel.name] = {
    track: tell,
    consent: guard('consent', (/** @type {any} */ granted) => parts._consented?.(granted)),
    visitorId: () => fields[VISITOR],
  };
  reportTo(report);
  readForce(location.search);
  openVisit(jar());
  if (isBot(navigator) && !force._isFlagged) return;
  startTransport();
  openTransport(!consent);
  const proceed = () => openTurns(() => {});
  let begin = proceed;
  guard('handover', () => {
    if (handover) begin = parts._handover(proceed);
  })();
  guard('start', () => {
    if (consent) parts._consent(begin, closeTurns);
    else begin();
  })();
  watchOrders(pixel.orders, (order) => tell('order', order));
};

/**
 * Start the pixel on this page, once. Never throws.
 * @param {PixelConfig} config
 * @param {Scripts} scripts functions, at the indices used in the config
 */
export const start = (config, scripts) => {
  try {
    if (/** @type {any} */ (window)[config.pixel.name]) return;
    setPage(config, scripts);
    boot(config);
  } catch {}
};
