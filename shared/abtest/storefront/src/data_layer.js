// The page's data layer (`dataLayer`, an array that is pushed to): what it says together, and the events in it.
// It is left alone until a trigger or an audience asks for it.

import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** @import { Guard } from './types' */

/** As deep and as large as a data layer goes; what a page pushes may be cyclic, in many ways at once. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5000;

let valuesLeft = 0;

/** Elements, dates and the like are values, not more data. @param {any} value */
const isPlain = (value) => {
  const prototype = !!value && typeof value === 'object' && Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
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
 * @param {Guard} guard
 * @param {(event: string) => void} onPush what was pushed has been taken in; it may have been an event
 */
export const createDataLayer = (guard, onPush) => {
  const data = record();
  /** @type {any} */
  const host = window;
  /** @type {unknown} */
  let layer;
  /** Length of the array when the page view began: events before it belong to earlier views. */
  let begin = 0;

  /** One that cannot be read keeps no other from being taken in. */
  const take = guard(
    'data layer',
    (/** @type {any} */ item, /** @type {boolean} */ isNew) => {
      if (!isPlain(item)) return;
      valuesLeft = MAX_VALUES;
      merge(data, item, 0);
      if (isNew) onPush(item.event);
    },
  );

  /**
   * @param {ArrayLike<any>} items
   * @param {number} from events before this position are passed over
   */
  const takeAll = (items, from) => {
    for (let i = 0; i < items.length; i++) take(items[i], i >= from);
  };

  /** @param {any} array */
  const listen = (array) => {
    const { push } = array;
    array.push = function () {
      const length = push.apply(this, /** @type {any} */ (arguments));
      takeAll(arguments, 0);
      return length;
    };
  };

  return {
    /** What the array says; from now on it is listened to. A page may have put another in its place. */
    read() {
      const array = (host.dataLayer ||= []);
      if (array !== layer && isArray(array)) {
        layer = array;
        takeAll(array, begin);
        guard('data layer', listen)(array); // a frozen one stays as it is
      }
      return data;
    },

    reset() {
      begin = host.dataLayer?.length || 0;
    },
  };
};
