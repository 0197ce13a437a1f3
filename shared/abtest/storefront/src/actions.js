// The mutation actions, each with the way back. They know one element at a time and no selectors.

import { displace, isDisplaced } from './displaced.js';
import { select } from './lists.js';
import { keysOf } from './natives.js';
import { isComplete } from './selectors.js';
import { trustedHtml } from './trusted.js';

/** @import { Action, Mutation } from './types' */

/**
 * What was done to one element. `holds`: it still stands. `undo`: gives the page's own back, and leaves alone what
 * the page has changed since. `anchor`: a node that is in the document as long as this is of any interest.
 * While the page is parsed the question is `strict`: an element may be met before its content, which then comes
 * beside ours. Later, what is beside ours was put there by a script and is left alone.
 * @typedef {{ holds(strict: boolean): boolean, undo(): void, anchor: Node, done?: boolean }} Applied
 */

/** Names our insertions and placeholders in the DOM itself, so that copies made through innerHTML are known too. */
const MARK = 'data-svc';

/** @type {Comment[]} */
let stoppers = [];

/**
 * The parser is still inside the element, and would write on into a text of ours. Behind a comment it begins a text
 * of its own, which the observer sees.
 * @param {Element} element
 */
const stop = (element) => {
  const stopper = document.createComment('');
  element.append(stopper);
  stoppers[stoppers.length] = stopper;
};

/** When the document is parsed. */
export const removeStoppers = () => {
  for (const stopper of stoppers) stopper.remove();
  stoppers = [];
};

/**
 * @param {Element} element
 * @param {() => void} write
 * @returns {Applied}
 */
const replaceContent = (element, write) => {
  const before = [...element.childNodes];
  write();
  for (const child of before) displace(element, child);
  const first = element.firstChild;
  if (!isComplete(element)) stop(element);
  const ours = new Set(element.childNodes);
  const text = first && first.nodeValue;
  const stands = () =>
    first ? first.parentNode === element && first.nodeValue === text : element.firstChild === first;
  return {
    anchor: element,
    holds: (strict) => stands() && !(strict && element.childNodes.length !== ours.size),
    undo() {
      if (!stands()) return;
      const theirs = select(before, isDisplaced);
      for (const child of element.childNodes) if (!ours.has(child)) theirs[theirs.length] = child;
      element.replaceChildren(...theirs);
    },
  };
};

/**
 * Sets named values, and takes back those that still are as we set them.
 * @param {Element} element
 * @param {Record<string, string | null>} values
 * @param {(name: string) => string | null} get
 * @param {(name: string, value: string | null) => void} set
 * @returns {Applied}
 */
const setValues = (element, values, get, set) => {
  /** @type {Record<string, string | null>} */
  const before = {};
  /** @type {Record<string, string | null>} */
  const after = {};
  for (const name of keysOf(values)) {
    before[name] = get(name);
    set(name, values[name]);
    after[name] = get(name);
  }
  return {
    anchor: element,
    holds() {
      for (const name of keysOf(after)) if (get(name) !== after[name]) return false;
      return true;
    },
    undo() {
      for (const name of keysOf(after)) if (get(name) === after[name]) set(name, before[name]);
    },
  };
};

/** `backgroundColor` and `background-color` are both in use. @param {string} name */
const toProperty = (name) =>
  name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * @param {HTMLElement} element
 * @param {Record<string, string>} styles
 */
const setStyles = (element, styles) => {
  const { style } = element;
  return setValues(
    element,
    styles,
    (name) => {
      const property = toProperty(name);
      const priority = style.getPropertyPriority(property);
      return style.getPropertyValue(property) + (priority && `!${priority}`);
    },
    (name, value) => {
      const [, text, important] = /** @type {string[]} */ (
        /^([\s\S]*?)\s*(!\s*important)?\s*$/.exec(value || '')
      );
      style.setProperty(toProperty(name), text, important && 'important');
    },
  );
};

/**
 * @param {Element} element
 * @param {Record<string, string | null>} attributes
 */
const setAttributes = (element, attributes) =>
  setValues(
    element,
    attributes,
    (name) => element.getAttribute(name),
    (name, value) => (value == null ? element.removeAttribute(name) : element.setAttribute(name, value)),
  );

/**
 * @param {Element} element
 * @param {string} mark
 * @returns {Applied}
 */
const remove = (element, mark) => {
  const placeholder = document.createComment(mark);
  displace(/** @type {Node} */ (element.parentNode), element, placeholder);
  element.replaceWith(placeholder);
  return {
    anchor: placeholder,
    holds: () => !element.isConnected,
    // Where the page has put the element back itself, it stays where the page wants it.
    undo: () => (element.isConnected ? placeholder.remove() : placeholder.replaceWith(element)),
  };
};

/**
 * @param {Element} element
 * @param {string} html
 * @param {string} mark
 * @param {'before' | 'after'} where
 * @param {(node: Element) => void} inserted
 * @returns {Applied}
 */
const insert = (element, html, mark, where, inserted) => {
  const template = document.createElement('template');
  template.innerHTML = trustedHtml(html);
  const nodes = [...template.content.childNodes];
  for (const child of template.content.children) child.setAttribute(MARK, mark);
  element[where](...nodes);
  for (const node of nodes) if (node.nodeType === 1) inserted(/** @type {Element} */ (node));
  return {
    anchor: element,
    holds: () => !nodes[0] || nodes[0].parentNode === element.parentNode,
    undo() {
      for (const node of nodes) node.remove();
    },
  };
};

/**
 * @param {Mutation} mutation
 * @param {Element} element
 * @param {string} mark
 * @param {(node: Element) => void} inserted told of each element that was put beside the target
 * @returns {Applied}
 */
export const act = (mutation, element, mark, inserted) => {
  const { text = '', html = '', styles = {}, attributes = {} } = mutation;
  /** @type {Record<Action, () => Applied>} */
  const actions = {
    text: () =>
      replaceContent(element, () => {
        element.textContent = text;
      }),
    html: () =>
      replaceContent(element, () => {
        element.innerHTML = trustedHtml(html);
      }),
    style: () => setStyles(/** @type {HTMLElement} */ (element), styles),
    attribute: () => setAttributes(element, attributes),
    remove: () => remove(element, mark),
    insertBefore: () => insert(element, html, mark, 'before', inserted),
    insertAfter: () => insert(element, html, mark, 'after', inserted),
  };
  return actions[mutation.action]();
};

/**
 * An insertion or placeholder of `mark`, or a copy of one.
 * @param {Node | null} node
 * @param {string} mark
 */
export const isOurs = (node, mark) =>
  node instanceof Element ? node.getAttribute(MARK) === mark : node instanceof Comment && node.data === mark;

/**
 * Whether something of ours of this mark stands among the children.
 * @param {Node} parent
 * @param {string} mark
 */
export const holdsOurs = (parent, mark) => {
  for (const child of parent.childNodes) if (isOurs(child, mark)) return true;
  return false;
};

/** Removes insertions of `mark`, copies included. @param {string} mark */
export const sweepInsertions = (mark) => {
  for (const node of document.querySelectorAll(`[${MARK}="${mark}"]`)) node.remove();
};

/**
 * Whether an insertion of ours stands beside the element already: a copy, or made for what this element replaces.
 * @param {Mutation} mutation
 * @param {Element} element
 * @param {string} mark
 */
export const isServed = ({ action }, element, mark) =>
  (action === 'insertBefore' && isOurs(element.previousElementSibling, mark)) ||
  (action === 'insertAfter' && isOurs(element.nextElementSibling, mark));
