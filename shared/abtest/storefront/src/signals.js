// Part for data-layer triggers: listens to data layers and acts when a payload matches.

import { listenTo } from './data_layer.js';
import { emit } from './events.js';
import { keep, recall } from './kept_attributes.js';
import { record } from './lists.js';
import { keysOf } from './natives.js';
import { decideAgain, given, pageview as view, setGiven } from './decisions.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { evaluate, valueAt } from './payloads.js';
import { track as tell } from './track.js';
import { turn } from './turns.js';

/** @import { Data } from './types' */
/** @import { Mapping, Payload, Signal, SignalTrigger } from './signal_types' */

const REVENUE_GOAL = '__revenue__';

/**
 * Return a copy of the object with a value at a path; objects along the path are copied too.
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
 * Event data of an order, without its empty fields.
 * @param {NonNullable<Signal['revenue']>} revenue
 * @returns {any}
 */
const dataOf = ({ properties, ...fields }) => {
  /** @type {any} */
  const data = { ...properties };
  for (const name of keysOf(fields)) {
    const value = /** @type {any} */ (fields)[name];
    if (value !== null) data[name] = value;
  }
  return data;
};

/**
 * Make stored attributes readable: attributes that the page sets override them, and they override derived ones.
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
    if (reevaluate) decideAgain();
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
    // For arrays with a frozen `push`, and arrays in globals that cannot be watched.
    for (const event of ['DOMContentLoaded', 'load', 'click']) addEventListener(event, sweep, true);
  }
};
