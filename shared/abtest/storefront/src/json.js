// A JSON writer of our own: pages replace JSON.stringify, or add toJSON to arrays, and break the original.
// It writes ASCII only, so that a text's length is its size in bytes.

import { isArray, keysOf } from './natives.js';

/** Deeper and larger than any event of ours: what a page hands to `track` may be cyclic, or the window itself. */
const MAX_DEPTH = 8;
const MAX_VALUES = 5000;

let valuesLeft = 0;

/** @param {string} unit a UTF-16 code unit */
const escape = (unit) => `\\u${(unit.charCodeAt(0) + 65536).toString(16).slice(1)}`;

/** @param {string} text */
const quote = (text) => `"${text.replace(/[^ !#-[\]-~]/g, escape)}"`;

/**
 * @param {unknown[]} list
 * @param {number} depth
 */
const writeArray = (list, depth) => {
  let out = '';
  for (let i = 0; i < list.length; i++) out += (i ? ',' : '') + (write(list[i], depth) || 'null');
  return `[${out}]`;
};

/**
 * @param {Record<string, unknown>} object
 * @param {number} depth
 */
const writeObject = (object, depth) => {
  let out = '';
  for (const key of keysOf(object)) {
    const value = write(object[key], depth);
    if (value) out += `${(out ? ',' : '') + quote(key)}:${value}`;
  }
  return `{${out}}`;
};

/**
 * @param {any} value an object, or null
 * @param {number} depth
 */
const writeNested = (value, depth) => {
  if (!value || depth > MAX_DEPTH || valuesLeft < 0) return 'null';
  if (value instanceof Date) return quote(`${value.toISOString()}`);
  return isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
};

/**
 * Empty for what JSON has no form for.
 * @param {any} value
 * @param {number} depth
 * @returns {string}
 */
const write = (value, depth) => {
  valuesLeft--;
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'boolean':
      return `${value}`;
    case 'number':
      return value - value === 0 ? `${value}` : 'null';
    case 'bigint':
      return `"${value}"`;
    case 'object':
      return writeNested(value, depth);
    default:
      return '';
  }
};

/** @param {unknown} value */
export const toJson = (value) => {
  valuesLeft = MAX_VALUES;
  return write(value, 0);
};
