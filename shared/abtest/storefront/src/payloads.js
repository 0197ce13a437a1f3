// What a payload means to a data-layer trigger (docs/data-model.md, section 2.4). Pure: it knows no page, and nothing
// in a payload makes it throw but the payload's own getters.

import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';

/** @import { Mapping, Payload, Signal, SignalTrigger } from './signal_types' */

const MAX_DEPTH = 8;
const MAX_VALUES = 1000;
/** In major units: what events may tell of. */
const MAX_AMOUNT = 1e13;

const { hasOwnProperty } = Object.prototype;

let valuesLeft = 0;

/** Texts, booleans and numbers that JSON has a form for. @param {any} value */
const isScalar = (value) =>
  typeof value === 'number' ? value - value === 0 : typeof value === 'string' || typeof value === 'boolean';

/**
 * What a dotted path leads to, null where it leads nowhere.
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

/** Zero has no sign. @param {number} value */
const finite = (value) => (value - value === 0 ? value + 0 : null);

/**
 * A number, or a text that is one. A comma before exactly three digits stands between thousands, a single dot never.
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
 * A copy of our own: the page may change its objects, and they may be cyclic.
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
 * Texts, one alone is a list of one.
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
 * Cleaned, of its type, scaled; null where it cannot be.
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
  let found = null;
  for (const one of from) {
    found = valueAt(payload, one);
    if (found === null) continue;
    path = one;
    break;
  }
  const made = found === null ? null : convert(found, mapping);
  if (made !== null) return made;
  const fallback = mapping.default ?? null;
  if (found !== null) errors[errors.length] = { path, message: `is no ${type}` };
  else if (fallback === null) errors[errors.length] = { path, message: 'is missing' };
  return fallback;
};

/**
 * What the mappings find, by name; the later of two wins.
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
  const told = {
    revenue: read(fields.revenue, 'amount'),
    orderId: read(fields.order_id, 'string'),
    currency: read(fields.currency, 'string'),
    cost: read(fields.cost, 'number'),
    profit: read(fields.profit, 'number'),
    properties: valuesOf(payload, fields.properties, errors),
  };
  return told.revenue === null ? null : told;
};

/**
 * @param {Payload} payload
 * @param {NonNullable<SignalTrigger['when']>[number]} condition
 */
const holds = (payload, { path, op, value }) => {
  const found = valueAt(payload, path);
  switch (op) {
    case 'exists':
      return found !== null;
    case 'not_exists':
      return found === null;
    case 'gt':
      return typeof found === 'number' && found > /** @type {number} */ (value);
    case 'lt':
      return typeof found === 'number' && found < /** @type {number} */ (value);
    default:
      return (found === value) === (op === 'eq');
  }
};

/**
 * What the payload means to the trigger; one that does not match means nothing.
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
