// Part for the action that takes an element out of the page: `remove`.

import { actions } from './actions.js';
import { displace } from './displaced.js';

actions.remove = (element, _, mark) => {
  const placeholder = document.createComment(mark);
  displace(/** @type {Node} */ (element.parentNode), element, placeholder);
  element.replaceWith(placeholder);
  return {
    _anchor: placeholder,
    _holds: () => !element.isConnected,
    // If the page has put the element back itself, it stays there.
    _undo: () => (element.isConnected ? placeholder.remove() : placeholder.replaceWith(element)),
  };
};
