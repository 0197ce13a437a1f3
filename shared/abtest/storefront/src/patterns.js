// Regular expressions of configs, each compiled once.

/** Used for expressions that do not compile. */
const NOTHING = /(?!)/;

/**
 * Memoise a function of one rule or text.
 * @template T
 * @template R
 * @param {(part: T) => R} make
 */
export const once = (make) => {
  /** @type {Map<T, R>} */
  const made = new Map();
  return (/** @type {T} */ part) => {
    let result = made.get(part);
    if (!result) made.set(part, (result = make(part)));
    return result;
  };
};

/**
 * @param {string} source
 * @param {string} flags
 */
export const compile = (source, flags) => {
  try {
    return new RegExp(source, flags);
  } catch {
    return NOTHING;
  }
};

/** Patterns are the server's own: they compile. @type {(source: string) => (part: string) => boolean} */
const testOf = /* @__PURE__ */ once((source) => {
  const pattern = new RegExp(`^(?:${source})$`, 'i');
  /** The last part tested; rules, goals and clicks of a page test the same address. @type {string | undefined} */
  let last;
  let isMatch = false;
  return (/** @type {string} */ part) => {
    if (part !== last) isMatch = pattern.test((last = part));
    return isMatch;
  };
});

/**
 * Return whether a source from the server matches a whole part of an address, ignoring case; without a source every
 * part matches. The source is anchored here too, so it may come with or without anchors. Tests are shared by all rules
 * with the same source, because shops have many rules for few pages.
 * @param {string | undefined} source
 * @param {string} part
 */
export const isLike = (source, part) => source == null || testOf(source)(part);
