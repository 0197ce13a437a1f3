// Making events: every one carries who, when and where; deterministic ids let the server drop what came twice.

import { fold } from './hash.js';
import { now } from './natives.js';
import { randomId } from './visit.js';

/** @import { Config, Data, Decision, Emit, Forced, SdkEvent } from './types' */

const MAX_URL = 2048;

/**
 * @typedef {{ visitorId(): string, sessionId(): string, first(key: string): boolean }} Visit
 */

/**
 * @param {Config} config
 * @param {Visit} visit
 * @param {Forced} force
 * @param {(event: SdkEvent) => void} send
 * @returns {Emit}
 */
export const createEmit = (config, visit, force, send) => (type, data, decision, eventId) => {
  /** @type {SdkEvent} */
  const event = {
    type,
    eventId: eventId || randomId(),
    shopId: config.shop_id,
    visitorId: visit.visitorId(),
    sessionId: visit.sessionId(),
    ts: now(),
    url: location.href.slice(0, MAX_URL),
    data,
  };
  if (force.qa) event.qa_mode = true;
  if (decision) {
    event.experimentId = decision.experiment.id;
    event.variationId = decision.variation.id;
    event.assignment_epoch = decision.experiment.epoch;
  }
  send(event);
};

/**
 * Counting once a session, over reloads and tabs: a mark stops most repetitions, the same event id the rest.
 * @param {Visit} visit
 * @param {Forced} force
 * @param {Emit} emit
 */
export const createEmitOnce = (visit, force, emit) => {
  /**
   * @param {string} key
   * @param {string} type
   * @param {Data} data
   * @param {Decision} [decision]
   * @param {string} [scope] within which the key is unique: the session unless told
   */
  return (key, type, data, decision, scope) => {
    const marked = (force.qa ? 'qa:' : '') + key;
    if (!visit.first(marked)) return;
    emit(type, data, decision, `${scope || visit.sessionId()}-${fold(marked).toString(36)}`);
  };
};

/**
 * The visitor sees the variation: once for each experiment, epoch, variation and session.
 * @param {ReturnType<typeof createEmitOnce>} emitOnce
 * @param {Decision} decision
 */
export const expose = (emitOnce, decision) => {
  const { experiment, variation } = decision;
  emitOnce(`x:${experiment.id}:${experiment.epoch}:${variation.id}`, 'experiment_viewed', {}, decision);
};
