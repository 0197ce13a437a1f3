// Part for nodes that we have taken out of the page. Frameworks keep references to them and fail when they remove such
// a node or insert before it. So their parents respond as if the nodes were still in place.

/** The placeholder of each node, if any. @type {WeakMap<Node, Node | undefined>} */
const displaced = new WeakMap();

/** Return whether the node is still out and the page has not removed it since. @param {Node} node */
export const isDisplaced = (node) => displaced.has(node);

/**
 * @param {Node} parent
 * @param {Node} node
 * @param {Node} [standIn]
 */
export const displace = (parent, node, standIn) => {
  displaced.set(node, standIn);
  if (parent.removeChild !== Node.prototype.removeChild) return; // already patched
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
