// What a selector depends on: most name an element for itself, some name its place among its siblings.

/** Says nothing about siblings: attribute tests, whose values may look like anything. */
const ATTRIBUTES = /\[[^\]]*\]/g;
const ONE_PLACE = /:first-(child|of-type)|:nth-(child|of-type)\(\s*\d+\s*\)|\+/;
const ANY_PLACE = /:(nth|first|last|only)-|\+/;

/**
 * - `positional`: removing or inserting a sibling moves what it matches, so it is resolved once per parent render;
 * - `whole`: what it matches is known only once the parent has all its children;
 * - `contextual`: later content may make earlier elements match, so that looking at what was added is not enough.
 * @param {string} selector
 */
export const kindOf = (selector) => {
  const bare = selector.replace(ATTRIBUTES, '');
  const positional = ANY_PLACE.test(bare);
  return {
    positional,
    whole: positional && ANY_PLACE.test(bare.replace(new RegExp(ONE_PLACE, 'g'), '')),
    contextual: bare.includes(':has('),
  };
};

/**
 * The parser is past the parent: it, or something around it, has a successor.
 * @param {Node} parent
 */
export const isComplete = (parent) => {
  if (document.readyState !== 'loading') return true;
  for (let node = /** @type {Node | null} */ (parent); node; node = node.parentNode) {
    if (node.nextSibling) return true;
  }
  return false;
};

/**
 * @param {Document | Element} root
 * @param {string} selector
 * @param {Element[]} found receives what matches, the root included
 */
export const findIn = (root, selector, found) => {
  if (root !== document && /** @type {Element} */ (root).matches(selector)) {
    found[found.length] = /** @type {Element} */ (root);
  }
  for (const element of root.querySelectorAll(selector)) found[found.length] = element;
};

/** Pairs of brackets that surely close what they open. */
const PAIRS = /\[[\w-]+([~|^$*]?=(["'])[\w .:/-]*\2)?\]|\([\w\s+-]*\)/g;
const UNSURE = /[^\w\s.#>+~*:,-]|^$/;

/**
 * Throws for a selector that others cannot stand behind in a list: a bracket, text or comment that it leaves open is
 * closed by the parser only at the very end, so that it would swallow them.
 * @param {string} selector
 */
export const refuseOpen = (selector) => {
  if (UNSURE.test(selector && selector.replace(PAIRS, ':')) && !document.documentElement.matches(`${selector},*`)) {
    throw selector;
  }
};
