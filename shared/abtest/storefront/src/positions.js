// Part for selectors that depend on an element's position among its siblings. Removing or inserting a sibling moves
// what they match, so they are resolved once per rendering of the parent.

import { isComplete, isOurs } from './actions.js';
import { some } from './lists.js';
import { parts } from './parts.js';

/** @import { Rule } from './types' */

/** Bits of a mutation's `kind`: depends on the position, and on all siblings, so it waits for the parent's end tag. */
const POSITIONAL = 1;
const WHOLE = 2;

/** The element matched under each parent, by rule. @type {WeakMap<Rule, WeakMap<Node, Node>>} */
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
  if (!(Number(rule._mutation.kind) & POSITIONAL)) return;
  const places = taken.get(rule) || new WeakMap();
  taken.set(rule, places.set(/** @type {Node} */ (element.parentNode), element));
};
