// Excerpts of values for explanations: plain JSON of a bounded size, the same as `abtest.domain.targeting.excerpts`.

import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** Code units of all texts and names together, with 1 for every other value. */
const MOST = 200;
const MOST_NAMES = 20;
/** Objects with more names show none of them, because sorting takes too long. */
const MOST_SORTED = 1000;
const MORE = '…';

/**
 * The beginning of a text, which never ends within a surrogate pair.
 * @param {string} text
 * @param {number} length
 */
const beginningOf = (text, length) => {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length) + MORE;
};

/**
 * The first names by code units, as the order of an object's own names differs between languages. One more than is
 * shown, where there are more.
 * @param {string[]} all
 */
const firstNames = (all) => {
  /** @type {string[]} */
  const names = [];
  for (const name of all) {
    let at = names.length;
    if (at > MOST_NAMES && name > names[MOST_NAMES]) continue;
    if (at > MOST_NAMES) at = MOST_NAMES;
    for (; at > 0 && names[at - 1] > name; at--) names[at] = names[at - 1];
    names[at] = name;
  }
  return names;
};

/**
 * A copy of a value as far as the limit allows; what was cut off shows as `…`. Null for what cannot be read.
 * @param {unknown} value
 * @returns {any}
 */
export const excerptOf = (value) => {
  if (typeof value === 'string' && value.length <= MOST) return value; // most are
  let left = MOST;

  /** @param {string} text */
  const copyText = (text) => {
    const limit = left < 0 ? 0 : left;
    left -= text.length || 1;
    return text.length > limit ? beginningOf(text, limit) : text;
  };

  /** @param {unknown[]} items */
  const copyItems = (items) => {
    /** @type {unknown[]} */
    const copied = [];
    for (let i = 0; i < items.length; i++) {
      if (left <= 0) {
        copied[i] = MORE;
        break;
      }
      copied[i] = copy(items[i]);
    }
    return copied;
  };

  /** @param {any} object */
  const copyNames = (object) => {
    const copied = record();
    const names = keysOf(object);
    let count = 0;
    if (names.length > MOST_SORTED) copied[MORE] = MORE;
    for (const name of names.length > MOST_SORTED ? [] : firstNames(names)) {
      if (object[name] === undefined) continue;
      if (name.length > left || count++ === MOST_NAMES) {
        copied[MORE] = MORE;
        break;
      }
      left -= name.length || 1;
      copied[name] = copy(object[name]);
    }
    return copied;
  };

  /**
   * @param {any} one
   * @returns {unknown}
   */
  const copy = (one) => {
    const type = typeof one;
    if (type === 'string' || type === 'bigint') return copyText(`${one}`);
    left -= 1;
    if (one == null) return null;
    if (isArray(one)) return copyItems(one);
    if (type === 'object') return copyNames(one);
    if (type === 'number') return one - one === 0 ? one : null;
    return type === 'boolean' ? one : type;
  };

  try {
    return copy(value);
  } catch {
    return null;
  }
};
