// The pixel of external domains: takes a visitor over from the shop and counts what happens here. No experiments.

import './consent.js';
import './handover.js';
import { isBot } from './bots.js';
import { force, readForce } from './force.js';
import { guard } from './guard.js';
import { watchOrders } from './orders.js';
import { setPage } from './page.js';
import { parts } from './parts.js';
import { track } from './track.js';
import { openTransport, startTransport } from './transport.js';
import { closeTurns, openTurns, turn } from './turns.js';
import { fields, openVisit, VISITOR } from './visit.js';

/** @import { PixelConfig, Scripts } from './types' */

/** Where cookies are kept: a sandboxed frame has none, and its visitor lasts as long as the frame. */
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
 * Starts the pixel on this page, once, and never throws.
 * @param {PixelConfig} config
 * @param {Scripts} scripts what the config's script indices name
 */
export const start = (config, scripts) => {
  try {
    if (/** @type {any} */ (window)[config.pixel.name]) return;
    setPage(config, scripts);
    boot(config);
  } catch {}
};
