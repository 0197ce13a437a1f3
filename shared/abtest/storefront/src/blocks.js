// Which content of a variation a page gets.

import { matchesPage } from './urls.js';

/** @import { Address, Variation } from './types' */

/**
 * Position of the first URL block whose rules hold, -1 for the variation's flat fields.
 * @param {Variation} variation
 * @param {Address} address
 */
export const blockIndexOf = (variation, address) => {
  const blocks = variation.blocks || [];
  for (let i = 0; i < blocks.length; i++) if (matchesPage(blocks[i].rules, address)) return i;
  return -1;
};
