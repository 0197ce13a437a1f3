// The page's data layers: global arrays that the page pushes to. A listener receives every item once: items pushed
// before the snippet, items pushed later, and items of an array that replaces the first one.
// A layer is not touched until something listens to it.

import { guard } from './guard.js';
import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** Larger than real data layers; a page may push objects with cycles. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5000;

/** @typedef {(item: any, index: number) => void} Listener */

/** @type {Record<string, ReturnType<typeof openLayer>>} */
const layers = record();

let valuesLeft = 0;

/** Also true for objects of other frames; false for elements, dates and other instances. @param {any} value */
const isPlain = (value) => {
  const prototype = !!value && typeof value === 'object' && Object.getPrototypeOf(value);
  return prototype === null || (!!prototype && Object.getPrototypeOf(prototype) === null);
};

/** The item's data; `gtag('event', name, parameters)` pushes its `arguments` object. @param {any} item */
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
  /** Items already passed to the listeners, and arrays whose `push` is wrapped. */
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
      guard('data layer', hook)(array); // a frozen array keeps its `push`; `sweep` reads it
    }
    for (let i = 0; i < array.length; i++) if (!known.has(array[i])) take(array[i]);
  };

  /** Notice at once when the page replaces the array. Other globals, and properties we cannot redefine, stay as is. */
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
    /** Take items that arrived by other ways than `push`. */
    sweep: guard('data layer', () => adopt(host[name])),

    /** @param {Listener} listener receives all items from the first on */
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
 * @param {Listener} listener receives each item, and its index if it was in the array already, else Infinity
 * @returns takes items that arrived by other ways than `push`
 */
export const listenTo = (name, listener) => {
  const layer = (layers[name] ||= openLayer(name));
  layer.sweep();
  layer.add(guard('data layer', listener));
  return layer.sweep;
};

/**
 * @param {Record<string, any>} into an object of ours
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
 * Merged data of `dataLayer`, and its events.
 * @param {(event: string) => void} onPush called after an item is merged; the item may have no event
 */
export const createDataLayer = (onPush) => {
  const data = record();
  /** Length of the array at the start of the page view; earlier items belong to earlier views. */
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
    /** Return the merged data; the first call starts listening. */
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
