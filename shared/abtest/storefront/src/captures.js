// Part for click goals that match the element's text or capture values from it.

import { parts } from './parts.js';

/** @import { Data, GoalCapture } from './types' */

const MAX_CAPTURE = 1000;

/** @param {string | null | undefined} text */
const tidy = (text) => (text || '').replace(/\s+/g, ' ').trim();

/** Return whether the element contains the text, ignoring case and extra white space. */
parts._hasText = (element, expected) =>
  tidy(element.textContent || /** @type {HTMLInputElement} */ (element).value)
    .toLowerCase()
    .includes(tidy(expected).toLowerCase());

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
