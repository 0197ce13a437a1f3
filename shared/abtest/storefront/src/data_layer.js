// The page's data layer (`dataLayer`, an array that is pushed to): what it says together, and the events in it.
// It is left alone until a trigger or an audience asks for it.

import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** @import { Guard } from './types' */

/** As deep as a data layer goes; what a page pushes may be cyclic. */
const MAX_DEPTH = 6;

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
    const value = from[name];
    const nested = isPlain(value) && depth < MAX_DEPTH;
    into[name] = nested ? merge(isPlain(into[name]) ? into[name] : record(), value, depth + 1) : value;
  }
  return into;
};

/**
 * @param {Guard} guard
 * @param {(event: string) => void} onEvent
 * @param {() => void} onPush after what was pushed has been taken in
 */
export const createDataLayer = (guard, onEvent, onPush) => {
  const data = record();
  /** @type {any} */
  const host = window;
  /** @type {any[] | undefined} */
  let layer;
  let asked = false;
  /** Length of the array when the page view began: events before it belong to earlier views. */
  let begin = 0;

  /**
   * @param {ArrayLike<any>} items
   * @param {number} from events before this position are left out
   */
  const take = (items, from) => {
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      if (!isPlain(item)) continue;
      merge(data, item, 0);
      if (i >= from && typeof item.event === 'string') onEvent(item.event);
    }
  };

  const told = guard('data layer', (/** @type {ArrayLike<any>} */ items) => {
    take(items, 0);
    onPush();
  });

  return {
    data,

    /** Looks at the array and listens to it; a page may have put another in its place. */
    listen() {
      asked = true;
      const array = (host.dataLayer ||= []);
      if (array === layer || !isArray(array)) return;
      layer = array;
      take(array, begin);
      const { push } = array;
      array.push = function () {
        const length = push.apply(this, /** @type {any} */ (arguments));
        told(arguments);
        return length;
      };
    },

    /** The page has gone on: whether it has put another array in the place of the one that is listened to. */
    isReplaced: () => asked && host.dataLayer !== layer,

    reset() {
      begin = (isArray(host.dataLayer) && host.dataLayer.length) || 0;
    },
  };
};
