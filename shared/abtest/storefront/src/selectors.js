// Validation of shops' selectors before they are joined into one selector list.

/**
 * Throw for a selector that no other can follow in a list. The parser closes an open bracket, string or comment only at
 * the end of the text, so the selector would absorb the following ones.
 * @param {string} selector
 */
export const refuseOpen = (selector) => {
  if (!document.documentElement.matches(`${selector},*`)) throw selector;
};
