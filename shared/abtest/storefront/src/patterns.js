// Regular expressions of configs, compiled once each.

/** What does not compile matches nothing. */
const NOTHING = /(?!)/;

/**
 * What is made of a rule, or of a text, made when it is first asked for and kept.
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

/**
 * A whole part, without regard to case, by a source of the server's; every part where there is none. Anchored here as
 * well, so that a source may come with or without anchors. Made once for all rules of the same source: shops test much
 * on few pages.
 */
export const being = /* @__PURE__ */ once((/** @type {string | undefined} */ source) => {
  /** @type {RegExp | undefined} */
  let pattern;
  /** All rules of a page, its goals and its clicks ask about the same address. @type {string | undefined} */
  let last;
  let found = source == null;
  return (/** @type {string} */ part) => {
    if (source != null && part !== last) {
      last = part;
      pattern ||= compile(`^(?:${source})$`, 'i');
      found = pattern.test(part);
    }
    return found;
  };
});
