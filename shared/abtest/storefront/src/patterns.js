// Regular expressions of configs, compiled once each.

/** Texts longer than this are searched by no customer's expression: its cost cannot be bounded. */
const LONGEST_SEARCHED = 8192;

/** What does not compile matches nothing. */
const NOTHING = /(?!)/;

/**
 * What is made of a part of the config, made when it is first asked for and kept as long as the config.
 * @template {object} T
 * @template R
 * @param {(part: T) => R} make
 */
export const once = (make) => {
  /** @type {WeakMap<T, R>} */
  const made = new WeakMap();
  return (/** @type {T} */ part) => {
    let result = made.get(part);
    if (!result) {
      result = make(part);
      made.set(part, result);
    }
    return result;
  };
};

/**
 * @param {string} source
 * @param {string} flags
 */
const compile = (source, flags) => {
  try {
    return new RegExp(source, flags);
  } catch {
    return NOTHING;
  }
};

/**
 * Whether a shop's expression matches a text.
 * @param {string} source
 * @param {string} [flags]
 */
export const searching = (source, flags = '') => {
  const pattern = compile(source, flags);
  return (/** @type {string} */ text) => text.length <= LONGEST_SEARCHED && pattern.test(text);
};

/**
 * A whole part, without regard to case, by a source of the server's; every part where there is none. Anchored here as
 * well, so that a source may come with or without anchors.
 * @param {string | undefined} source
 */
const comparing = (source) => {
  if (source == null) return () => true;
  /** @type {RegExp | undefined} */
  let pattern;
  /** All rules of a page, its goals and its clicks ask about the same address. @type {string | undefined} */
  let last;
  let found = false;
  return (/** @type {string} */ part) => {
    if (part !== last) {
      last = part;
      pattern ||= compile(`^(?:${source})$`, 'i');
      found = pattern.test(part);
    }
    return found;
  };
};

/** @type {Map<string | undefined, (part: string) => boolean>} */
const known = new Map();

/**
 * As above, made once for all rules of the same source: shops test much on few pages.
 * @param {string | undefined} source
 */
export const being = (source) => {
  const is = known.get(source) || comparing(source);
  known.set(source, is);
  return is;
};
