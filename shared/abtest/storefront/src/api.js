// `window.svc`: the one global, and all that a shop's own code may rely on.

/** @import { Api, Assignment, Data, Decision, Emit, Guard } from './types' */

/** @param {Decision[]} decisions */
const toAssignments = (decisions) => {
  /** @type {Assignment[]} */
  const list = [];
  for (const { experiment, variation, index, active } of decisions) {
    if (!active) continue;
    list[list.length] = {
      experimentId: experiment.id,
      variationId: variation.id,
      variationIndex: index,
      epoch: experiment.epoch,
    };
  }
  return list;
};

/**
 * @param {{
 *   guard: Guard, emit: Emit, emitOnce: (key: string, type: string, data: Data, d?: Decision, scope?: string) => void,
 *   decisions(): Decision[], visitorId(): string, currency: string | undefined, turn(fn: () => void): void,
 * }} parts
 * @returns {Api}
 */
export const createApi = ({ guard, emit, emitOnce, decisions, visitorId, currency, turn }) => {
  /** @param {Data} data */
  const order = (data) => {
    const whole = { ...data, currency: data.currency || currency };
    // A confirmation page that is loaded again is the same order, however much later.
    if (data.orderId) emitOnce(`order:${data.orderId}`, 'order', whole, undefined, visitorId());
    else emit('order', whole);
  };

  /**
   * @param {string} name
   * @param {Data} data
   */
  const track = (name, data) => {
    if (typeof name !== 'string' || !name) return;
    if (name === 'order') order(data);
    else if (name === 'refund') emit('refund', { ...data, currency: data.currency || currency });
    else emit('custom', { ...data, event_name: name });
  };

  /** @type {Api} */
  const api = {
    track: guard('track', (name, data) => turn(() => track(name, data || {}))),
    assignments: () => toAssignments(decisions()),
    visitorId,
    ready: guard('ready', (fn) => fn(api)),
  };
  return api;
};
