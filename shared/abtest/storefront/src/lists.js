// The one thing we need of lists that pages may have broken in Array.prototype.

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
