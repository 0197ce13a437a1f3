// Builds events. Every event has visitor, time and address; deterministic ids let the server drop duplicates.

import { force } from './force.js';
import { codeOf } from './hash.js';
import { now } from './natives.js';
import { notify } from './notices.js';
import { config } from './page.js';
import { add } from './transport.js';
import { SESSION, VISITOR, context, fields, isFirst, randomId } from './visit.js';

/** @import { Data, Decision } from './types' */

const MAX_URL = 2048;
const MAX_ERRORS = 10;

/**
 * @param {string} type
 * @param {Data} data
 * @param {Decision} [decision]
 * @param {string} [eventId]
 */
export const emit = (type, data, decision, eventId) => {
  const event = {
    type,
    eventId: eventId || randomId(),
    shopId: config.shop_id,
    visitorId: fields[VISITOR],
    sessionId: fields[SESSION],
    ts: now(),
    url: location.href.slice(0, MAX_URL),
    qa_mode: force._isFlagged || undefined,
    experimentId: decision?.experiment.id,
    variationId: decision?.variation.id,
    assignment_epoch: decision?.experiment.epoch,
    data,
  };
  add(event);
  notify('event', event);
  return event;
};

/**
 * Emit an event once per session, across reloads and tabs. A mark stops most repetitions, the same event id the rest.
 * Return the event; false if it was emitted before.
 * @param {string} key
 * @param {string} type
 * @param {Data} data
 * @param {Decision} [decision]
 * @param {string} [scope] scope in which the key is unique; default: the session
 */
export const emitOnce = (key, type, data, decision, scope = fields[SESSION]) => {
  const code = codeOf((force._isFlagged ? 'qa:' : '') + key);
  return isFirst(code) && emit(type, data, decision, `${scope}-${code}`);
};

/**
 * Count an exposure: once per experiment, epoch, variation and session.
 * @param {Decision} decision
 */
export const expose = (decision) => {
  const { experiment, variation } = decision;
  const key = `x:${experiment.id}:${experiment.epoch}:${variation.id}`;
  const event = emitOnce(key, 'experiment_viewed', context(), decision);
  if (event) notify('exposure', event);
};

let errors = 0;

/**
 * Report an error that was caught.
 * @param {unknown} error
 * @param {string} about
 * @param {Decision} [decision]
 */
export const report = (error, about, decision) => {
  const { message = `${error}`, stack = '' } = /** @type {Error} */ (error || {});
  if (errors++ >= MAX_ERRORS) return;
  const data = { source: about, message: `${message}`.slice(0, 500), stack: `${stack}`.slice(0, 2000) };
  notify('error', emit('sdk_error', data, decision));
  if (force._isFlagged) console.warn('svc', about, error); // only in QA visits, not for shoppers
};
