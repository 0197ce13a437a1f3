// Selectors of shops: which are let in, so that they can stand in one list with others.

/**
 * Throws for a selector that others cannot stand behind in a list: a bracket, text or comment that it leaves open is
 * closed by the parser only at the very end, so that it would swallow them.
 * @param {string} selector
 */
export const refuseOpen = (selector) => {
  if (!document.documentElement.matches(`${selector},*`)) throw selector;
};
