// The part that takes nodes of the page out: what an element holds, by `text` and `html`, or an element, by `remove`.

import { actions, isComplete } from './actions.js';
import { displace, isDisplaced } from './displaced.js';
import { select } from './lists.js';
import { parts } from './parts.js';
import { trustedHtml } from './trusted.js';

/** @import { Applied } from './actions.js' */

/** @type {Comment[]} */
let stoppers = [];

/** When the document is parsed. */
parts._removeStoppers = () => {
  for (const stopper of stoppers) stopper.remove();
  stoppers = [];
};

/**
 * @param {Element} element
 * @param {'textContent' | 'innerHTML'} property
 * @param {string} value
 * @param {MutationObserverInit} watched
 * @returns {Applied}
 */
const replaceContent = (element, property, value, watched) => {
  const before = [...element.childNodes];
  element[property] = value;
  for (const child of before) displace(element, child);
  const first = element.firstChild;
  const text = first?.nodeValue;
  // The parser is still inside the element, and would write on into a text of ours. Behind a comment it begins a text
  // of its own, which the observer sees.
  if (!isComplete(element)) element.append((stoppers[stoppers.length] = document.createComment('')));
  const ours = new Set(element.childNodes);
  const stands = () =>
    first ? first.parentNode === element && first.nodeValue === text : !element.firstChild;
  return {
    _anchor: element,
    _watched: watched,
    _holds: (strict) => stands() && !(strict && element.childNodes.length !== ours.size),
    _undo() {
      if (!stands()) return;
      const theirs = select(before, isDisplaced);
      for (const child of element.childNodes) if (!ours.has(child)) theirs[theirs.length] = child;
      element.replaceChildren(...theirs);
    },
  };
};

actions.text = (element, { text }) =>
  replaceContent(element, 'textContent', text, { characterData: true, subtree: true });

actions.html = (element, { html }) => replaceContent(element, 'innerHTML', trustedHtml(html), {});

actions.remove = (element, _, mark) => {
  const placeholder = document.createComment(mark);
  displace(/** @type {Node} */ (element.parentNode), element, placeholder);
  element.replaceWith(placeholder);
  return {
    _anchor: placeholder,
    _holds: () => !element.isConnected,
    // Where the page has put the element back itself, it stays where the page wants it.
    _undo: () => (element.isConnected ? placeholder.remove() : placeholder.replaceWith(element)),
  };
};
