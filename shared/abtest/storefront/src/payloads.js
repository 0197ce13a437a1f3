// Evaluates a payload for a data-layer trigger (docs/data-model.md, section 2.4). Pure and independent of the page;
// nothing in a payload makes it throw except the payload's own getters.

import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** @import { Mapping, Payload, Signal, SignalTrigger } from './signal_types' */

const MAX_DEPTH = 8;
const MAX_VALUES = 1000;
/** In major units: the upper limit of an amount in an event. */
const MAX_AMOUNT = 1e13;

const { hasOwnProperty } = Object.prototype;

let valuesLeft = 0;

/** Strings, booleans and finite numbers. @param {any} value */
const isScalar = (value) =>
  typeof value === 'number' ? value - value === 0 : typeof value === 'string' || typeof value === 'boolean';

/**
 * The value at a dotted path, or null.
 * @param {any} value
 * @param {string} path
 */
export const valueAt = (value, path) => {
  for (const name of path.split('.')) {
    const leads = isArray(value) ? name !== 'length' : typeof value === 'object' && value;
    value = leads && hasOwnProperty.call(value, name) ? value[name] : null;
  }
  return typeof value === 'number' && !isScalar(value) ? null : value ?? null;
};

/** The number if it is finite, else null; -0 becomes 0. @param {number} value */
const finite = (value) => (value - value === 0 ? value + 0 : null);

/**
 * Convert a number, or a string that contains one. A comma before exactly three digits separates thousands; a single
 * dot is always a decimal point.
 * @param {any} value
 */
const toNumber = (value) => {
  if (typeof value !== 'string') return typeof value === 'number' ? finite(value) : null;
  let digits = value.replace(/[ \t\r\n\xa0\u2009\u202f'\u2019]/g, '');
  if (/^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(digits)) digits = digits.replace(/,/g, '');
  else if (/^-?([1-9]\d{0,2}(\.\d{3})+|\d+),\d+$/.test(digits)) {
    digits = digits.replace(/\./g, '').replace(',', '.');
  }
  return /^-?\d+(\.\d+)?$/.test(digits) ? finite(+digits) : null;
};

/** @param {any} value */
const toText = (value) => (isScalar(value) ? `${value}` : null);

/**
 * Copy a value, because the page may change its objects later. Limits handle cycles.
 * @param {any} value
 * @param {number} depth
 * @returns {any}
 */
const copy = (value, depth) => {
  if (--valuesLeft < 0) return null;
  if (!value || typeof value !== 'object') return isScalar(value) ? value : null;
  if (depth >= MAX_DEPTH) return null;
  /** @type {any} */
  const into = isArray(value) ? [] : record();
  const names = isArray(value) ? value : keysOf(value);
  for (let i = 0; i < names.length && valuesLeft >= 0; i++) {
    const name = isArray(value) ? i : names[i];
    into[name] = copy(value[name], depth + 1);
  }
  return into;
};

/** @param {any} value */
const toJson = (value) => {
  valuesLeft = MAX_VALUES;
  const copied = copy(value, 0);
  return valuesLeft < 0 ? null : copied;
};

/** @type {Record<string, (value: any) => any>} */
const TYPES = {
  scalar: (value) => (typeof value === 'number' || !isScalar(value) ? toNumber(value) : value),
  string: toText,
  number: toNumber,
  boolean(value) {
    const text = `${toText(value)}`.toLowerCase();
    return /^(true|1|yes)$/.test(text) || (/^(false|0|no)$/.test(text) ? false : null);
  },
  json: toJson,
  amount(value) {
    const number = toNumber(value);
    return number === null || number < 0 || number > MAX_AMOUNT ? null : number;
  },
};

/**
 * @param {any} value
 * @param {Mapping} mapping
 */
const clean = (value, { trim, lower, map }) => {
  if (typeof value === 'string') {
    if (trim) value = value.trim();
    if (lower) value = value.toLowerCase();
  }
  const text = map ? toText(value) : null;
  return map && text !== null && hasOwnProperty.call(map, text) ? map[text] : value;
};

/**
 * Convert to a list of strings; a single value becomes a list of one.
 * @param {any} value
 * @param {Mapping} mapping
 */
const toTexts = (value, mapping) => {
  const items = toJson(isArray(value) ? value : [value]);
  const texts = [];
  for (const item of items || []) {
    const text = toText(clean(item, mapping));
    if (text === null) return null;
    texts[texts.length] = text;
  }
  return items && texts;
};

/**
 * Clean, convert and scale a value; null if that is not possible.
 * @param {any} value
 * @param {Mapping} mapping
 */
const convert = (value, mapping) => {
  const { type = 'scalar', scale } = mapping;
  if (type === 'string_array') return toTexts(value, mapping);
  const made = TYPES[type](clean(value, mapping));
  return scale && made !== null ? finite(made * scale) : made;
};

/**
 * @param {Payload} payload
 * @param {Mapping} mapping
 * @param {Signal['errors']} errors
 */
const valueOf = (payload, mapping, errors) => {
  const { from, type = 'scalar' } = mapping;
  let [path] = from;
  let value = null;
  for (const one of from) {
    value = valueAt(payload, one);
    if (value === null) continue;
    path = one;
    break;
  }
  const made = value === null ? null : convert(value, mapping);
  if (made !== null) return made;
  const fallback = mapping.default ?? null;
  if (value !== null) errors[errors.length] = { path, message: `is no ${type}` };
  else if (fallback === null) errors[errors.length] = { path, message: 'is missing' };
  return fallback;
};

/**
 * Values of the mappings, by name; the last one wins.
 * @param {Payload} payload
 * @param {Mapping[] | undefined} mappings
 * @param {Signal['errors']} errors
 */
const valuesOf = (payload, mappings, errors) => {
  const values = record();
  for (const mapping of mappings || []) {
    const value = valueOf(payload, mapping, errors);
    if (value !== null) values[mapping.to] = value;
  }
  return values;
};

/**
 * @param {Payload} payload
 * @param {NonNullable<SignalTrigger['revenue']>} fields
 * @param {Signal['errors']} errors
 */
const revenueOf = (payload, fields, errors) => {
  /**
   * @param {string[] | undefined} from
   * @param {string} type
   */
  const read = (from, type) => (from ? valueOf(payload, { from, to: '', type }, errors) : null);
  const order = {
    revenue: read(fields.revenue, 'amount'),
    orderId: read(fields.order_id, 'string'),
    currency: read(fields.currency, 'string'),
    cost: read(fields.cost, 'number'),
    profit: read(fields.profit, 'number'),
    properties: valuesOf(payload, fields.properties, errors),
  };
  return order.revenue === null ? null : order;
};

/**
 * @param {Payload} payload
 * @param {NonNullable<SignalTrigger['when']>[number]} condition
 */
const holds = (payload, { path, op, value }) => {
  const actual = valueAt(payload, path);
  switch (op) {
    case 'exists':
      return actual !== null;
    case 'not_exists':
      return actual === null;
    case 'gt':
      return typeof actual === 'number' && actual > /** @type {number} */ (value);
    case 'lt':
      return typeof actual === 'number' && actual < /** @type {number} */ (value);
    default:
      return (actual === value) === (op === 'eq');
  }
};

/**
 * Evaluate a payload for a trigger. If it does not match, the result is empty.
 * @param {SignalTrigger} trigger
 * @param {Payload} payload
 * @returns {Signal}
 */
export const evaluate = (trigger, payload) => {
  /** @type {Signal} */
  const signal = { matched: false, revenue: null, properties: record(), mapped: record(), errors: [] };
  if (valueAt(payload, 'event') !== trigger.event) return signal;
  for (const condition of trigger.when || []) if (!holds(payload, condition)) return signal;
  signal.matched = true;
  if (trigger.revenue) signal.revenue = revenueOf(payload, trigger.revenue, signal.errors);
  signal.properties = valuesOf(payload, trigger.properties, signal.errors);
  signal.mapped = valuesOf(payload, trigger.mappings, signal.errors);
  return signal;
};
