// Nodes of the page that we have taken out: frameworks remember them, and would stumble when they come to remove one,
// or to insert before it. Their parents answer as if those nodes still stood there.

/** What stands where a node was, if anything. @type {WeakMap<Node, Node | undefined>} */
const displaced = new WeakMap();

/** Still out, and not given up by the page meanwhile. @param {Node} node */
export const isDisplaced = (node) => displaced.has(node);

/**
 * @param {Node} parent
 * @param {Node} node
 * @param {Node} [standIn]
 */
export const displace = (parent, node, standIn) => {
  displaced.set(node, standIn);
  if (parent.removeChild !== Node.prototype.removeChild) return; // done before
  const { removeChild, insertBefore } = parent;
  /** @param {Node | null} child */
  const isOut = (child) => !!child && child.parentNode !== parent && displaced.has(child);
  /** @type {any} */ (parent).removeChild = (/** @type {ChildNode} */ child) => {
    if (!isOut(child)) return removeChild.call(parent, child);
    /** @type {ChildNode | undefined} */ (displaced.get(child))?.remove();
    displaced.delete(child);
    return child;
  };
  /** @type {any} */ (parent).insertBefore = (/** @type {Node} */ added, /** @type {Node | null} */ before) =>
    insertBefore.call(parent, added, before && isOut(before) ? displaced.get(before) || null : before);
};
