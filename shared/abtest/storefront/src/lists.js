// List functions, because pages may have broken Array.prototype, and objects without Object.prototype.

/**
 * Return the items that pass, in order, as a new array.
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T, index: number) => unknown} test
 */
export const select = (items, test) => {
  /** @type {T[]} */
  const selected = [];
  let index = 0;
  for (const item of items) if (test(item, index++)) selected[selected.length] = item;
  return selected;
};

/**
 * Return whether any item passes.
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => unknown} test
 */
export const some = (items, test) => {
  for (const item of items) if (test(item)) return true;
  return false;
};

/**
 * Join texts; the first must not be empty if others are.
 * @param {Iterable<string>} texts
 * @param {string} separator
 */
export const joined = (texts, separator) => {
  let text = '';
  for (const each of texts) text += (text && separator) + each;
  return text;
};

/** Return an object without a prototype: any name can be a key. @returns {Record<string, any>} */
export const record = () => Object.create(null);
