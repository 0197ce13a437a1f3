// Condition language of audiences (docs/data-model.md, section 2.2), over JSON values; independent of the browser.
// Conditions are compiled once. A condition of the wrong shape never holds, and nothing throws.

import { searching } from './addresses.js';
import { some } from './lists.js';
import { isArray, keysOf } from './natives.js';
import { once } from './patterns.js';

/** @import { Condition, Groups } from './types' */

/** @typedef {(actual: any, groups: Groups) => boolean} Test a test on a value or a set of attributes */

const { hasOwnProperty } = Object.prototype;

/** @param {any} value */
const typeOf = (value) => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);

/** @param {any} value */
const isText = (value) => typeof value === 'string';

/** Strings, numbers and booleans. @param {any} value */
const isScalar = (value) => value !== null && typeof value !== 'object';

/** @param {any} value */
const lower = (value) => (isText(value) ? value.toLowerCase() : value);

/** @type {Test} */
const never = () => false;

/**
 * @param {Test} test
 * @returns {Test}
 */
const not = (test) => (actual, groups) => !test(actual, groups);

/**
 * @template T, R
 * @param {T[]} items
 * @param {(item: T) => R} work
 */
const each = (items, work) => {
  /** @type {R[]} */
  const results = [];
  for (const item of items) results[results.length] = work(item);
  return results;
};

/**
 * Combine tests: all must hold.
 * @param {Test[]} tests
 * @returns {Test}
 */
const all = (tests) => (actual, groups) => {
  for (const test of tests) if (!test(actual, groups)) return false;
  return true;
};

/**
 * The value at a dotted path, or null.
 * @param {any} value
 * @param {string[]} path
 */
export const valueAt = (value, path) => {
  for (const name of path) {
    const leads = isArray(value) ? name !== 'length' : typeof value === 'object' && value;
    value = leads && hasOwnProperty.call(value, name) ? value[name] : null;
  }
  return value ?? null;
};

/** @type {(a: any, b: any) => boolean} */
const isSame = (a, b) => {
  if (a === b || isScalar(a) || isScalar(b) || typeOf(a) !== typeOf(b)) return a === b;
  const names = keysOf(a);
  const differs = (/** @type {string} */ name) => !hasOwnProperty.call(b, name) || !isSame(a[name], b[name]);
  return names.length === keysOf(b).length && !some(names, differs);
};

/** @param {any} value */
const toNumber = (value) => (value === null || isScalar(value) ? Number(value) : NaN);

/**
 * Make an operator from a comparison that returns false for values that cannot be compared.
 * @param {(a: any, b: any) => boolean} test
 * @returns {(expected: any) => Test}
 */
const ordered = (test) => (expected) => {
  const number = toNumber(expected);
  return (actual) =>
    isText(actual) && isText(expected) ? test(actual, expected) : test(toNumber(actual), number);
};

/**
 * Return whether the list contains the value or, if the value is a list, one of its items.
 * @param {any} value
 * @param {any} list
 */
const isAmong = (value, list) =>
  isArray(list) &&
  some(list, (one) => isSame(value, one) || (isArray(value) && some(value, (item) => isSame(item, one))));

/** @param {any} value */
const lowerAll = (value) => (isArray(value) ? each(value, lower) : lower(value));

/**
 * Convert a version to a string with the same order: numbers are padded, a release sorts after its prereleases, build
 * metadata is left out.
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
 * @param {any} source
 * @param {string} [flags]
 * @returns {Test}
 */
const finds = (source, flags) => {
  if (!isText(source)) return never;
  const matches = searching(source, flags);
  return (actual) => isScalar(actual) && matches(`${actual}`);
};

/**
 * Make a test on lists: at least one item must pass.
 * @param {Test} test
 * @returns {Test}
 */
const someItem = (test) => (actual, groups) => isArray(actual) && some(actual, (item) => test(item, groups));

/**
 * Make a test on lists: each entry must have a matching item.
 * @param {any} list
 * @param {(entry: any) => Test} toTest
 * @returns {Test}
 */
const hasEach = (list, toTest) => {
  if (!isArray(list)) return never;
  const test = all(each(list, (entry) => someItem(toTest(entry))));
  return (actual, groups) => isArray(actual) && test(actual, groups);
};

/**
 * @param {Test} test
 * @returns {Test}
 */
const lowered = (test) => (actual, groups) => test(lower(actual), groups);

/**
 * Operators: each makes a test from its operand.
 * @type {Record<string, (expected: any) => Test>}
 */
const OPERATORS = {
  $eq: (expected) => (actual) => isSame(actual, expected),
  $ne: (expected) => (actual) => !isSame(actual, expected),
  $lt: ordered((a, b) => a < b),
  $lte: ordered((a, b) => a <= b),
  $gt: ordered((a, b) => a > b),
  $gte: ordered((a, b) => a >= b),
  $exists: (expected) => (actual) => (actual !== null) === !!expected,
  $in: (list) => (actual) => isAmong(actual, list),
  $nin: (list) => (isArray(list) ? not(OPERATORS.$in(list)) : never),
  $ini(list) {
    const lowerList = lowerAll(list);
    return (actual) => isAmong(lowerAll(actual), lowerList);
  },
  $nini: (list) => (isArray(list) ? not(OPERATORS.$ini(list)) : never),
  $inGroup: (id) => (actual, groups) => isAmong(actual, isText(id) && groups[id]),
  $notInGroup: (id) => not(OPERATORS.$inGroup(id)),
  $all: (list) => hasEach(list, expectation),
  $alli: (list) => hasEach(list, (one) => (isText(one) ? lowered(expectation(lower(one))) : expectation(one))),
  $not: (expected) => not(expectation(expected)),
  $size(expected) {
    const test = expectation(expected);
    return (actual, groups) => isArray(actual) && test(actual.length, groups);
  },
  $elemMatch: (expected) => someItem(operatorsOf(expected) ? expectation(expected) : compile(expected)),
  $regex: (source) => finds(source),
  $regexi: (source) => finds(source, 'i'),
  $type: (expected) => (actual) => typeOf(actual) === expected,
};

// Version operators compare the strings of `toVersion`: `$vgt` is `$gt` on them.
for (const name of ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']) {
  OPERATORS[`$v${name}`] = (expected) => {
    const test = OPERATORS[`$${name}`](toVersion(expected));
    return (actual, groups) => test(toVersion(actual), groups);
  };
}

/**
 * Names of the operators in an expectation; undefined if it is a value to equal.
 * @param {any} expected
 */
const operatorsOf = (expected) => {
  if (typeOf(expected) !== 'object') return undefined;
  const names = keysOf(expected);
  return names.length && !some(names, (name) => name[0] !== '$') ? names : undefined;
};

/**
 * Compile an expectation: operators that must all hold, or a value to equal.
 * @param {any} expected
 * @returns {Test}
 */
const expectation = (expected) => {
  const names = operatorsOf(expected);
  if (names) return all(each(names, (name) => OPERATORS[name]?.(expected[name]) || never));
  if (typeof expected === 'boolean') return (actual) => actual !== null && !!actual === expected;
  if (!isScalar(expected)) return (actual) => isSame(actual, expected);
  const convert = isText(expected) ? String : Number;
  return (actual) => isScalar(actual) && convert(actual) === expected;
};

/** @type {Record<string, (operand: any) => Test>} */
const LOGIC = {
  $and: (list) => (isArray(list) ? all(each(list, compile)) : never),
  $or: (list) =>
    isArray(list) ? (list.length ? not(all(each(list, (one) => not(compile(one))))) : not(never)) : never,
  $nor: (list) => not(LOGIC.$or(list)),
  $not: (condition) => not(compile(condition)),
};

/**
 * @param {any} condition
 * @param {string} key
 * @returns {Test}
 */
export const compileEntry = (condition, key) => {
  const expected = condition[key];
  if (key[0] === '$' && LOGIC[key]) return LOGIC[key](expected);
  const path = key.split('.');
  const test = expectation(expected);
  return (attributes, groups) => test(valueAt(attributes, path), groups);
};

/**
 * Compile a condition; all its entries must hold.
 * @param {any} condition
 * @returns {Test}
 */
const compile = (condition) =>
  typeOf(condition) === 'object' ? all(each(keysOf(condition), (key) => compileEntry(condition, key))) : never;

/** @type {(condition: Condition) => Test} */
const testOf = once(compile);

/** @type {Groups} */
const NO_GROUPS = {};

/**
 * Return whether a condition holds.
 * @param {Condition} condition
 * @param {any} attributes
 * @param {Groups} [groups] lists by id, for `$inGroup`
 * @returns {boolean}
 */
export const holds = (condition, attributes, groups = NO_GROUPS) =>
  typeOf(condition) === 'object' && testOf(condition)(attributes, groups);
