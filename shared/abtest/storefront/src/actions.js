// Table of mutation actions, filled by the parts that implement them, and the record of an applied action.

/** @import { Action, Mutation } from './types' */

/**
 * An action applied to one element. `_holds` checks that it is still in effect. `_undo` restores the page's own state,
 * except where the page has changed it since. `_anchor` is a node that is in the document as long as the record
 * matters. `_added` lists elements inserted next to the target. `_watched` is set where the page can undo the action
 * without adding an element; it names what to observe on the element besides its children.
 * While the page is parsed, `_holds` is `strict`: an element may be matched before its content, which the parser then
 * adds next to ours. After that, nodes next to ours come from a script and stay.
 * @typedef {{
 *   _holds(strict: boolean): boolean, _undo(): void, _anchor: Node, _added?: Element[],
 *   _watched?: MutationObserverInit, _isDone?: boolean,
 * }} Applied
 */

/**
 * An action handles one element and knows no selectors. `mark` labels insertions and placeholders in the DOM itself,
 * so that copies made through innerHTML are recognised too.
 * @typedef {(element: any, mutation: Mutation, mark: string) => Applied} Act
 */

/** @type {Record<Action, Act>} */
export const actions = /** @type {any} */ ({});

export const MARK = 'data-svc';

/**
 * Return whether the node is an insertion or placeholder with this mark, or a copy of one.
 * @param {any} node
 * @param {string} mark
 */
export const isOurs = (node, mark) => (node?.nodeValue ?? node?.getAttribute?.(MARK)) === mark;

/**
 * Return whether the parser is past the node: the node or one of its ancestors has a next sibling.
 * @param {Node | null} node
 */
export const isComplete = (node) => {
  if (document.readyState !== 'loading') return true;
  for (; node; node = node.parentNode) if (node.nextSibling) return true;
  return false;
};
