// The condition language of audiences (docs/data-model.md, section 2.2), over JSON values. It knows no browser.
// What has the wrong shape holds never; nothing throws.

import { some } from './lists.js';
import { isArray, keysOf } from './natives.js';
import { searches } from './patterns.js';

/** @import { Condition, Groups } from './types' */

/** @typedef {(actual: any, expected: any, groups: Groups) => boolean} Test */

const { hasOwnProperty } = Object.prototype;

/**
 * Whether all of the items pass.
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => unknown} test
 */
const every = (items, test) => !some(items, (item) => !test(item));

/** @param {any} value */
const typeOf = (value) => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);

/** @param {any} value */
const isText = (value) => typeof value === 'string';

/** Texts, numbers and booleans. @param {any} value */
const isScalar = (value) => value !== null && typeof value !== 'object';

/** @param {any} value */
const lower = (value) => (isText(value) ? value.toLowerCase() : value);

/**
 * The value at a dotted path, null where there is none.
 * @param {any} value
 * @param {string} path
 */
const valueAt = (value, path) => {
  for (const name of path.split('.')) {
    const leads = isArray(value) ? name !== 'length' : typeof value === 'object' && value;
    value = leads && hasOwnProperty.call(value, name) ? value[name] : null;
  }
  return value ?? null;
};

/** @type {(a: any, b: any) => boolean} */
const isSame = (a, b) => {
  const type = typeOf(a);
  if (a === b || type !== typeOf(b) || (type !== 'object' && type !== 'array')) return a === b;
  const names = keysOf(a);
  const agrees = (/** @type {string} */ name) => hasOwnProperty.call(b, name) && isSame(a[name], b[name]);
  return names.length === keysOf(b).length && every(names, agrees);
};

/**
 * Whether one is less than the other, by a comparison that gives false for what is not comparable.
 * @param {(a: any, b: any) => boolean} test
 * @returns {Test}
 */
const ordered = (test) => {
  const toNumber = (/** @type {any} */ value) => (value === null || isScalar(value) ? Number(value) : NaN);
  return (a, b) => (isText(a) && isText(b) ? test(a, b) : test(toNumber(a), toNumber(b)));
};

/**
 * Whether a value is in a list or, being a list, shares an item with it.
 * @param {any} value
 * @param {any} list
 */
const isAmong = (value, list) =>
  isArray(list) &&
  some(list, (one) => isSame(value, one) || (isArray(value) && some(value, (item) => isSame(item, one))));

/** @param {any} value */
const lowerAll = (value) => {
  if (!isArray(value)) return lower(value);
  const items = [];
  for (const item of value) items[items.length] = lower(item);
  return items;
};

/**
 * Versions as texts whose order is theirs: numbers padded, a release after its prereleases, builds left out.
 * @param {any} version
 */
const toVersion = (version) => {
  const text = typeof version === 'number' ? `${version}` : version;
  const parts = (isText(text) && text ? text : '0').replace(/\+[^]*/, '').replace(/^v/, '').split(/[-.]/);
  let out = '';
  for (const part of parts) out += `-${/^\d+$/.test(part) ? part.padStart(5, ' ') : part}`;
  return parts.length === 3 ? `${out}-~` : out;
};

/**
 * @param {any} actual
 * @param {any} source
 * @param {boolean} [ignoreCase]
 */
const isFound = (actual, source, ignoreCase) =>
  isText(source) && isScalar(actual) && searches(source, `${actual}`, ignoreCase);

/**
 * Whether each that is expected is met by some item.
 * @param {any} actual
 * @param {any} list
 * @param {(item: any, expected: any) => boolean} test
 */
const hasAll = (actual, list, test) =>
  isArray(actual) && isArray(list) && every(list, (expected) => some(actual, (item) => test(item, expected)));

/** @type {Record<string, Test>} */
const OPERATORS = {
  $eq: isSame,
  $ne: (actual, expected) => !isSame(actual, expected),
  $lt: ordered((a, b) => a < b),
  $lte: ordered((a, b) => a <= b),
  $gt: ordered((a, b) => a > b),
  $gte: ordered((a, b) => a >= b),
  $exists: (actual, expected) => (actual !== null) === !!expected,
  $in: isAmong,
  $nin: (actual, list) => isArray(list) && !isAmong(actual, list),
  $ini: (actual, list) => isAmong(lowerAll(actual), lowerAll(list)),
  $nini: (actual, list) => isArray(list) && !isAmong(lowerAll(actual), lowerAll(list)),
  $inGroup: (actual, id, groups) => isAmong(actual, isText(id) && groups[id]),
  $notInGroup: (actual, id, groups) => !isAmong(actual, isText(id) && groups[id]),
  $all: (actual, list, groups) =>
    hasAll(actual, list, (item, expected) => isAsExpected(item, expected, groups)),
  $alli: (actual, list, groups) =>
    hasAll(actual, list, (item, expected) =>
      isAsExpected(isText(expected) ? lower(item) : item, lower(expected), groups),
    ),
  $not: (actual, expected, groups) => !isAsExpected(actual, expected, groups),
  $size: (actual, expected, groups) => isArray(actual) && isAsExpected(actual.length, expected, groups),
  $elemMatch: (actual, expected, groups) =>
    isArray(actual) &&
    some(actual, (item) =>
      operatorsOf(expected) ? isAsExpected(item, expected, groups) : holds(expected, item, groups),
    ),
  $regex: (actual, source) => isFound(actual, source),
  $regexi: (actual, source) => isFound(actual, source, true),
  $type: (actual, expected) => typeOf(actual) === expected,
};

// Versions compare as their texts do: `$vgt` is `$gt` of what `toVersion` makes.
for (const name of ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']) {
  OPERATORS[`$v${name}`] = (actual, expected, groups) =>
    OPERATORS[`$${name}`](toVersion(actual), toVersion(expected), groups);
}

/**
 * The names of the operators that are asked for, none where it is a value to equal.
 * @param {any} expected
 */
const operatorsOf = (expected) => {
  if (typeOf(expected) !== 'object') return undefined;
  const names = keysOf(expected);
  return names.length && every(names, (name) => name[0] === '$') ? names : undefined;
};

/**
 * Operators that must all hold, or a value to equal.
 * @type {Test}
 */
const isAsExpected = (actual, expected, groups) => {
  const names = operatorsOf(expected);
  if (names) return every(names, (name) => OPERATORS[name]?.(actual, expected[name], groups));
  if (typeof expected === 'boolean') return actual !== null && !!actual === expected;
  if (!isScalar(expected)) return isSame(actual, expected);
  return isScalar(actual) && (isText(expected) ? String : Number)(actual) === expected;
};

/** @type {Record<string, Test>} */
const LOGIC = {
  $and: (attributes, all, groups) => isArray(all) && every(all, (one) => holds(one, attributes, groups)),
  $or: (attributes, any, groups) =>
    isArray(any) && (!any.length || some(any, (one) => holds(one, attributes, groups))),
  $nor: (attributes, none, groups) => !LOGIC.$or(attributes, none, groups),
  $not: (attributes, condition, groups) => !holds(condition, attributes, groups),
};

/** @type {Groups} */
const NO_GROUPS = {};

/**
 * Whether a condition holds: all that it asks for.
 * @param {Condition} condition
 * @param {any} attributes
 * @param {Groups} [groups] lists by id, for `$inGroup`
 * @returns {boolean}
 */
export const holds = (condition, attributes, groups = NO_GROUPS) =>
  typeOf(condition) === 'object' &&
  every(keysOf(condition), (path) =>
    path[0] === '$' && LOGIC[path]
      ? LOGIC[path](attributes, condition[path], groups)
      : isAsExpected(valueAt(attributes, path), condition[path], groups),
  );
