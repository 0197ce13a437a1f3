// The page's data layers: arrays that are pushed to, each under the name of a global. Whoever listens to one is told
// once of everything in it: what was pushed before us, what is pushed, and what comes with an array in its place.
// A layer is left alone until somebody asks for it.

import { guard } from './guard.js';
import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** As deep and as large as a data layer goes; what a page pushes may be cyclic, in many ways at once. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5000;

/** @typedef {(item: any, index: number) => void} Listener */

/** @type {Record<string, ReturnType<typeof openLayer>>} */
const layers = record();

let valuesLeft = 0;

/** Also one of another frame. Elements, dates and the like are values, not more data. @param {any} value */
const isPlain = (value) => {
  const prototype = !!value && typeof value === 'object' && Object.getPrototypeOf(value);
  return prototype === null || (!!prototype && Object.getPrototypeOf(prototype) === null);
};

/** What an item says; `gtag('event', name, parameters)` pushes its arguments. @param {any} item */
const payloadOf = (item) => {
  if (!isPlain(item)) return undefined;
  if (Object.prototype.toString.call(item) !== '[object Arguments]') return item;
  return item[0] === 'event' ? { ...item[2], event: item[1] } : undefined;
};

/** @param {string} name */
const openLayer = (name) => {
  /** @type {any} */
  const host = window;
  /** @type {Listener[]} */
  const listeners = [];
  /** Items that were told of, and arrays that tell of what is pushed. */
  const known = new WeakSet();
  /** @type {any} */
  let array;

  const take = guard('data layer', (/** @type {any} */ item) => {
    const payload = payloadOf(item);
    if (!payload) return;
    known.add(item);
    for (const listener of listeners) listener(payload, Infinity);
  });

  /** @param {any} layer */
  const hook = (layer) => {
    const { push } = layer;
    layer.push = function () {
      const length = push.apply(this, /** @type {any} */ (arguments));
      for (let i = 0; i < arguments.length; i++) take(arguments[i]);
      return length;
    };
  };

  /** @param {any} value */
  const adopt = (value) => {
    if (!isArray(value)) return;
    array = value;
    if (!known.has(array)) {
      known.add(array);
      guard('data layer', hook)(array); // a frozen one stays as it is, and is looked through
    }
    for (let i = 0; i < array.length; i++) if (!known.has(array[i])) take(array[i]);
  };

  /** Tells at once of another array in its place. Globals that are no data layer, or not ours to change, stay. */
  const watch = () => {
    if (!(name in host)) host[name] = [];
    const own = Object.getOwnPropertyDescriptor(host, name);
    if (!own?.configurable || own.get || (own.value && !isArray(own.value))) return;
    let { value } = own;
    Object.defineProperty(host, name, {
      configurable: true,
      enumerable: true,
      get: () => value,
      set(next) {
        value = next;
        guard('data layer', adopt)(next);
      },
    });
  };

  guard('data layer', watch)();

  return {
    /** Looks for what came by other ways than `push`. */
    sweep: guard('data layer', () => adopt(host[name])),

    /** @param {Listener} listener is told of everything from the beginning */
    add(listener) {
      for (let i = 0; i < array?.length; i++) {
        const payload = payloadOf(array[i]);
        if (payload) listener(payload, i);
      }
      listeners[listeners.length] = listener;
    },
  };
};

/**
 * @param {string} name of the global
 * @param {Listener} listener is told of each item, and its place in the array where it was there before
 * @returns what looks for items that came by other ways than `push`
 */
export const listenTo = (name, listener) => {
  const layer = (layers[name] ||= openLayer(name));
  layer.sweep();
  layer.add(guard('data layer', listener));
  return layer.sweep;
};

/**
 * @param {Record<string, any>} into of our own making
 * @param {Record<string, any>} from
 * @param {number} depth
 */
const merge = (into, from, depth) => {
  for (const name of keysOf(from)) {
    if (--valuesLeft < 0) break;
    const value = from[name];
    const nested = isPlain(value) && depth < MAX_DEPTH;
    into[name] = nested ? merge(isPlain(into[name]) ? into[name] : record(), value, depth + 1) : value;
  }
  return into;
};

/**
 * What `dataLayer` says together, and the events in it.
 * @param {(event: string) => void} onPush what was pushed has been taken in; it may have been an event
 */
export const createDataLayer = (onPush) => {
  const data = record();
  /** Length of the array when the page view began: events before it belong to earlier views. */
  let begin = 0;
  /** @type {(() => void) | undefined} */
  let sweep;

  /** @type {Listener} */
  const take = (item, index) => {
    valuesLeft = MAX_VALUES;
    merge(data, item, 0);
    if (index >= begin) onPush(item.event);
  };

  return {
    /** What the array says; from now on it is listened to. */
    read() {
      if (sweep) sweep();
      else sweep = listenTo('dataLayer', take);
      return data;
    },

    reset() {
      begin = /** @type {any} */ (window).dataLayer?.length || 0;
    },
  };
};
