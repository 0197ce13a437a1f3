// Which content of a variation a page gets.

import { matchesPage } from './pages.js';
import { parts } from './parts.js';

/** @import { Facts, Variation } from './types' */

/**
 * Position of the first URL block whose rules hold, -1 for the variation's flat fields.
 * @param {Pick<Variation, 'blocks'>} variation
 * @param {Facts} facts
 */
export const blockIndexOf = (variation, facts) => {
  const blocks = variation.blocks || [];
  for (let i = 0; i < blocks.length; i++) if (matchesPage(blocks[i].rules, facts)) return i;
  return -1;
};

parts._blockIndexOf = blockIndexOf;

parts._blockAt = ({ blocks }, index) => blocks?.[index];
