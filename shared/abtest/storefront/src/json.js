// JSON writer of our own, because pages replace JSON.stringify or add toJSON to arrays, which breaks the original.
// Output is ASCII, so a text's length is its size in bytes.

import { isArray, keysOf } from './natives.js';

/** Above every event of ours; the page may pass `track` an object with cycles, or the window itself. */
const MAX_DEPTH = 8;
const MAX_VALUES = 5000;

let valuesLeft = 0;

/** @param {string} unit a UTF-16 code unit */
const escape = (unit) => `\\u${(unit.charCodeAt(0) + 65536).toString(16).slice(1)}`;

/** @param {unknown} text */
const quote = (text) => `"${`${text}`.replace(/[^ !#-[\]-~]/g, escape)}"`;

/**
 * @param {any} value an object, or null
 * @param {number} depth
 */
const writeNested = (value, depth) => {
  let out = '';
  if (!value || depth > MAX_DEPTH || valuesLeft < 0) return 'null';
  if (value instanceof Date) return quote(value.toISOString());
  if (isArray(value)) {
    for (const item of value) out += (out && ',') + (write(item, depth) || 'null');
    return `[${out}]`;
  }
  for (const key of keysOf(value)) {
    const text = write(value[key], depth);
    if (text) out += `${(out && ',') + quote(key)}:${text}`;
  }
  return `{${out}}`;
};

/**
 * Return '' for values that JSON cannot represent.
 * @param {any} value
 * @param {number} depth
 * @returns {string}
 */
const write = (value, depth) => {
  const kind = typeof value;
  valuesLeft--;
  if (kind === 'object') return writeNested(value, depth + 1);
  if (/ri|bi/.test(kind)) return quote(value); // string, bigint
  return /be|oo/.test(kind) ? `${+value - +value === 0 ? value : null}` : ''; // number, boolean
};

/** @param {unknown} value */
export const toJson = (value) => {
  valuesLeft = MAX_VALUES;
  return write(value, 0);
};
