// The part that sets named values of elements: `style`, `attribute`.

import { actions } from './actions.js';
import { some } from './lists.js';
import { keysOf } from './natives.js';

/** @import { Applied } from './actions.js' */

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
    _anchor: element,
    _watched: { attributes: true },
    _holds: () => !some(keysOf(after), (name) => get(name) !== after[name]),
    _undo() {
      for (const name of keysOf(after)) if (get(name) === after[name]) set(name, before[name]);
    },
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
      else if (name === 'style') element.style = value; // which a policy lets through
      else element.setAttribute(name, value);
    },
  );
