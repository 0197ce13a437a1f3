// Part for actions that replace an element's content: `text`, `html`.

import { isComplete } from './actions.js';
import { displace, isDisplaced } from './displaced.js';
import { select } from './lists.js';
import { parts } from './parts.js';

/** @import { Applied } from './actions.js' */

/** @type {Comment[]} */
let stoppers = [];

/** Called when the document is parsed. */
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
export const replaceContent = (element, property, value, watched) => {
  const before = [...element.childNodes];
  element[property] = value;
  for (const child of before) displace(element, child);
  const first = element.firstChild;
  const text = first?.nodeValue;
  // The parser is still inside the element and would append to our text node. After a comment it starts a text node of
  // its own, which the observer reports.
  if (!isComplete(element)) element.append((stoppers[stoppers.length] = document.createComment('')));
  const ours = new Set(element.childNodes);
  const isInPlace = () =>
    first ? first.parentNode === element && first.nodeValue === text : !element.firstChild;
  return {
    _anchor: element,
    _watched: watched,
    _holds: (strict) => isInPlace() && !(strict && element.childNodes.length !== ours.size),
    _undo() {
      if (!isInPlace()) return;
      const theirs = select(before, isDisplaced);
      for (const child of element.childNodes) if (!ours.has(child)) theirs[theirs.length] = child;
      element.replaceChildren(...theirs);
    },
  };
};
