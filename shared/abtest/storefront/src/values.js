// Part for actions that set named values of an element: `style`, `attribute`.

import { actions } from './actions.js';
import { some } from './lists.js';
import { keysOf } from './natives.js';

/** @import { Applied } from './actions.js' */

/**
 * Set named values; undo restores those that still have our value.
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
  const undo = () => {
    for (const name of keysOf(after)) if (get(name) === after[name]) set(name, before[name]);
  };
  try {
    for (const name of keysOf(values)) {
      before[name] = get(name);
      set(name, values[name]);
      after[name] = get(name);
    }
  } catch (error) {
    undo();
    throw error;
  }
  return {
    _anchor: element,
    _watched: { attributes: true },
    _holds: () => !some(keysOf(after), (name) => get(name) !== after[name]),
    _undo: undo,
  };
};

actions.style = (element, { styles }) => {
  const { style } = /** @type {HTMLElement} */ (element);
  return setValues(
    element,
    styles,
    (name) => {
      const priority = style.getPropertyPriority(name);
      return style.getPropertyValue(name) + (priority && `!${priority}`);
    },
    (name, value) => {
      const [, text, important] = /** @type {string[]} */ (/^(.*?)(!\s*important\s*)?$/s.exec(`${value}`));
      style.setProperty(name, text, important && 'important');
    },
  );
};

actions.attribute = (element, { attributes }) =>
  setValues(
    element,
    attributes,
    (name) => element.getAttribute(name),
    (name, value) => {
      if (value == null) element.removeAttribute(name);
      else if (name === 'style') element.style = value; // unlike setAttribute, allowed by content security policies
      else element.setAttribute(name, value);
    },
  );
