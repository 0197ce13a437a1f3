// Regular expressions of configs, compiled once each.

/** Texts longer than this are searched by no customer's expression: its cost cannot be bounded. */
const LONGEST_SEARCHED = 8192;
/** A page's config has fewer; whoever asks about many configs must not run out of memory. */
const MAX_KEPT = 2000;

/** Stands for what does not compile. */
const NOTHING = /(?!)/;

/** @param {string} [flags] */
const createCompiler = (flags) => {
  /** @type {Map<string, RegExp>} */
  const compiled = new Map();

  /** @param {string} source */
  return (source) => {
    let pattern = compiled.get(source);
    if (!pattern) {
      try {
        pattern = new RegExp(source, flags);
      } catch {
        pattern = NOTHING;
      }
      if (compiled.size > MAX_KEPT) compiled.clear();
      compiled.set(source, pattern);
    }
    return pattern;
  };
};

const sensitive = createCompiler();
const insensitive = createCompiler('i');

/**
 * Whether a shop's expression matches; one that does not compile matches nothing.
 * @param {string} source
 * @param {string} text
 * @param {boolean} [ignoreCase]
 */
export const searches = (source, text, ignoreCase) =>
  text.length <= LONGEST_SEARCHED && (ignoreCase ? insensitive : sensitive)(source).test(text);

/**
 * A whole part, without regard to case, by a source of the server's. Anchored here as well, so that a source may come
 * with or without anchors.
 * @param {string} source
 * @param {string} part
 */
export const isWhole = (source, part) => insensitive(`^(?:${source})$`).test(part);
