// Part for URL blocks: selects the content of a variation for the current page.

import { matchesPage } from './pages.js';
import { parts } from './parts.js';

/** @import { Facts, Variation } from './types' */

/**
 * Index of the first URL block whose rules match, or -1 for the variation's flat fields.
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
