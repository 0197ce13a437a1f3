// The part that listens for data-layer triggers, and does what they say when a payload matches.

import { listenTo } from './data_layer.js';
import { emit } from './events.js';
import { keep, recall } from './kept_attributes.js';
import { record } from './lists.js';
import { keysOf } from './natives.js';
import { again, given, pageview as view, setGiven } from './decisions.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { evaluate, valueAt } from './payloads.js';
import { track as tell } from './track.js';
import { turn } from './turns.js';

/** @import { Data } from './types' */
/** @import { Mapping, Payload, Signal, SignalTrigger } from './signal_types' */

const REVENUE_GOAL = '__revenue__';

/**
 * The object with a value at a path, those on the way made anew.
 * @param {any} object
 * @param {string[]} path
 * @param {number} at
 * @param {unknown} value
 * @returns {any}
 */
const put = (object, path, at, value) => {
  if (at === path.length) return value;
  const inner = typeof object === 'object' ? object : undefined;
  return { ...inner, [path[at]]: put(inner?.[path[at]], path, at + 1, value) };
};

/**
 * What an order tells, as data of an event.
 * @param {NonNullable<Signal['revenue']>} revenue
 * @returns {any}
 */
const dataOf = ({ properties, ...told }) => {
  /** @type {any} */
  const data = { ...properties };
  for (const name of keysOf(told)) {
    const value = /** @type {any} */ (told)[name];
    if (value !== null) data[name] = value;
  }
  return data;
};

/**
 * Lets attributes that were kept be asked for: under what the page gives now, over what is derived.
 * @param {Mapping[]} persisted
 * @returns {(attributes: Data, known: Data) => void}
 */
const createKept = (persisted) => {
  /** Paths by their first name. @type {Record<string, string[]>} */
  const paths = record();
  for (const { to } of persisted) (paths[to.split('.')[0]] ||= [])[paths[to.split('.')[0]].length] = to;

  return (attributes, known) => {
    for (const name of keysOf(paths)) {
      let value = attributes[name];
      let isRead = false;
      const get = () => {
        for (const path of isRead ? [] : paths[name]) {
          const kept = valueAt(known, path) === null ? recall(path) : undefined;
          if (kept !== undefined) value = put(value, path.split('.'), 1, kept);
        }
        isRead = true;
        return value;
      };
      Object.defineProperty(attributes, name, { get, configurable: true, enumerable: true });
    }
  };
};

parts._signals = () => {
  const triggers = /** @type {SignalTrigger[]} */ (config.signals?.triggers);
  /** @type {Mapping[]} */
  const persisted = [];

  /** @param {NonNullable<Signal['revenue']>} revenue */
  const sell = (revenue) => {
    const data = dataOf(revenue);
    if (revenue.orderId) tell('order', data);
    else emit('goal', { currency: config.runtime.currency, ...data, goalId: REVENUE_GOAL });
  };

  /**
   * @param {SignalTrigger} trigger
   * @param {Signal} signal
   */
  const act = ({ mappings = [], track, pageview, reevaluate }, { revenue, properties, mapped }) => {
    for (const { to, persist, ttl } of mappings) if (persist && to in mapped) keep(to, mapped[to], ttl);
    if (revenue) sell(revenue);
    if (track) {
      emit('custom', { ...properties, event_name: track });
      parts._note?.(track);
    }
    if (pageview) view(properties);
    if (reevaluate) again();
  };

  /** @param {SignalTrigger} trigger */
  const onPush = (trigger) => (/** @type {Payload} */ payload) => {
    const signal = evaluate(trigger, payload);
    if (!signal.matched) return;
    for (const name of keysOf(signal.mapped)) {
      setGiven(put(given, name.split('.'), 0, signal.mapped[name]));
    }
    turn(() => act(trigger, signal));
  };

  for (const { mappings = [] } of triggers) {
    for (const mapping of mappings) if (mapping.persist) persisted[persisted.length] = mapping;
  }
  if (persisted.length) parts._kept = createKept(persisted);
  for (const trigger of triggers) {
    const sweep = listenTo(trigger.layer, onPush(trigger));
    // For arrays that cannot be listened to, or were put in the place of one that cannot be watched.
    for (const event of ['DOMContentLoaded', 'load', 'click']) addEventListener(event, sweep, true);
  }
};
