// The part for goals that look closer at what was clicked: at its text, and at values to be told with it.

import { parts } from './parts.js';

/** @import { Data, GoalCapture } from './types' */

const MAX_CAPTURE = 1000;

/** @param {string | null | undefined} text */
const tidy = (text) => (text || '').replace(/\s+/g, ' ').trim();

/** Whether an element has a text in it. */
parts._hasText = (element, wanted) =>
  tidy(element.textContent || /** @type {HTMLInputElement} */ (element).value)
    .toLowerCase()
    .includes(tidy(wanted).toLowerCase());

/**
 * @param {GoalCapture} capture
 * @param {HTMLElement} element
 */
const captureValue = ({ source, attribute = '' }, element) => {
  if (source === 'textContent') return tidy(element.textContent);
  if (source === 'attribute') return element.getAttribute(attribute);
  return element.dataset[attribute] ?? element.getAttribute(`data-${attribute}`);
};

parts._captured = (captures, element) => {
  /** @type {Data} */
  const data = {};
  for (const capture of captures) {
    const value = captureValue(capture, element);
    if (value != null) data[capture.property] = value.slice(0, MAX_CAPTURE);
  }
  return data;
};
