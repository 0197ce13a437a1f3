// `window.svc`: the one global, and all that a shop's own code may rely on.

import { parts } from './parts.js';

/** @import { Api, Assignment, Data, Decided, Decision, Emit, Guard } from './types' */

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
 *   decided(): Decided | undefined, visitorId(): string, cart(): Record<string, string>, currency: string | undefined,
 *   turn(fn: () => void): void, note(name: string): void, give(data: Data): void, ready(fn: () => void): void,
 *   force(id?: string, variation?: string | number): void,
 * }} page
 * @returns {Api}
 */
export const createApi = (page) => {
  const { guard, emit, emitOnce, decided, visitorId, cart, currency, turn, note, give, ready, force } = page;
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
    note(name);
  };

  /** @type {Api} */
  const api = {
    track: guard('track', (name, data) => turn(() => track(name, data || {}))),
    set: guard('set', (data) => give(data || {})),

    flag(key, fallback) {
      const flag = decided()?.flags[key];
      return flag ? flag.value : fallback;
    },

    personalization: (key) => parts._valueOf?.(decided()?.personalizations || [], key),

    assignments: () => toAssignments(decided()?.assignments || []),
    visitorId,
    cart,
    ready: guard('ready', (fn) => ready(guard('ready', () => fn(api)))),
    force: guard('force', force),
    consent: guard('consent', (granted) => parts._consented?.(granted)),
    chunk: guard('chunk', (name, fn) => parts._chunk?.(name, fn)),
  };
  return api;
};
