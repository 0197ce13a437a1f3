// Part for the actions that insert markup next to elements: `insertBefore`, `insertAfter`.

import { actions, isOurs, MARK } from './actions.js';
import { parts } from './parts.js';
import { trustedHtml } from './trusted.js';

/** @import { Act } from './actions.js' */

/** @param {'before' | 'after'} where @returns {Act} */
const insert = (where) => (element, { html }, mark) => {
  const template = document.createElement('template');
  template.innerHTML = trustedHtml(html);
  const nodes = [...template.content.childNodes];
  const elements = [...template.content.children];
  for (const child of elements) child.setAttribute(MARK, mark);
  element[where](...nodes);
  return {
    _anchor: element,
    _added: elements,
    _holds: () => !nodes[0] || nodes[0].parentNode === element.parentNode,
    _undo() {
      for (const node of nodes) node.remove();
    },
  };
};

actions.insertBefore = insert('before');
actions.insertAfter = insert('after');

/** Removes the insertions with this mark, including copies. */
parts._sweep = (mark) => {
  for (const node of document.querySelectorAll(`[${MARK}="${mark}"]`)) node.remove();
};

/** Also true for copies, and for insertions next to an element that this one replaced. */
parts._isServed = ({ _mutation, _mark }, element) =>
  isOurs(element, _mark) ||
  isOurs(element[_mutation.action === 'insertBefore' ? 'previousElementSibling' : 'nextElementSibling'], _mark);
