// The part for selectors that name an element's place among its siblings: removing or inserting a sibling moves what
// they match, so that they are resolved once per parent render.

import { isComplete, isOurs } from './actions.js';
import { some } from './lists.js';
import { parts } from './parts.js';

/** @import { Rule } from './types' */

/** Bits of a mutation's `kind`: names a place, and one that is known only once the parent has all its children. */
const POSITIONAL = 1;
const WHOLE = 2;

/** For each rule and parent an element that was found there. @type {WeakMap<Rule, WeakMap<Node, Node>>} */
const taken = new WeakMap();

parts._isTaken = (rule, element) => {
  const { kind = 0 } = rule._mutation;
  const parent = /** @type {Node} */ (element.parentNode);
  if (!(kind & POSITIONAL)) return false;
  return (
    taken.get(rule)?.get(parent)?.parentNode === parent ||
    some(parent.childNodes, (child) => isOurs(child, rule._mark)) ||
    (kind & WHOLE) > 0 && !isComplete(parent)
  );
};

parts._takePlace = (rule, element) => {
  const places = taken.get(rule) || new WeakMap();
  taken.set(rule, places.set(/** @type {Node} */ (element.parentNode), element));
};
