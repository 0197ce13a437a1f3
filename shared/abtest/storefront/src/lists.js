// The little we need of lists that pages may have broken in Array.prototype, and of objects they may have added to.

/**
 * The items that pass, in order, as a new array.
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
 * Whether any of the items passes.
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => unknown} test
 */
export const some = (items, test) => {
  for (const item of items) if (test(item)) return true;
  return false;
};

/** An object without a prototype: any name may be a key. @returns {Record<string, any>} */
export const record = () => Object.create(null);
