// What the parts that know mutation actions share: the table they put them into, and what an action leaves behind.

/** @import { Action, Mutation } from './types' */

/**
 * What was done to one element. `_holds`: it still stands. `_undo`: gives the page's own back, and leaves alone what
 * the page has changed since. `_anchor`: a node that is in the document as long as this is of any interest.
 * `_added`: elements that were put beside the target. `_watched`: there where a page can undo it without adding an
 * element; what of the element is then observed besides its children.
 * While the page is parsed the question is `strict`: an element may be met before its content, which then comes
 * beside ours. Later, what is beside ours was put there by a script and is left alone.
 * @typedef {{
 *   _holds(strict: boolean): boolean, _undo(): void, _anchor: Node, _added?: Element[],
 *   _watched?: MutationObserverInit, _isDone?: boolean,
 * }} Applied
 */

/**
 * Actions know one element at a time and no selectors. `mark` names insertions and placeholders in the DOM itself, so
 * that copies made through innerHTML are known too.
 * @typedef {(element: any, mutation: Mutation, mark: string) => Applied} Act
 */

/** @type {Record<Action, Act>} */
export const actions = /** @type {any} */ ({});

export const MARK = 'data-svc';

/**
 * An insertion or placeholder of `mark`, or a copy of one.
 * @param {any} node
 * @param {string} mark
 */
export const isOurs = (node, mark) => (node?.nodeValue ?? node?.getAttribute?.(MARK)) === mark;

/**
 * The parser is past the node: it, or something around it, has a successor.
 * @param {Node | null} node
 */
export const isComplete = (node) => {
  if (document.readyState !== 'loading') return true;
  for (; node; node = node.parentNode) if (node.nextSibling) return true;
  return false;
};
