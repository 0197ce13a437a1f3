// Part that validates shops' selectors before they are joined into one selector list.

import { parts } from './parts.js';

/** Bit of a mutation's `kind`: the selector may be open. */
const UNSURE = 8;

/**
 * Throw for a selector that no other can follow in a list. The parser closes an open bracket, string or comment only at
 * the end of the text, so the selector would absorb the following ones.
 * @param {string} selector
 */
export const refuseOpen = (selector) => {
  if (!document.documentElement.matches(`${selector},*`)) throw selector;
};

parts._refuseOpen = ({ kind = 0, selector }) => {
  if (kind & UNSURE) refuseOpen(selector);
};
