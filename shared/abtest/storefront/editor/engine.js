// Applies the changes of a draft to this page with the engine of storefronts: what an editor sees is what visitors get.

import '../src/trusted.js';
import '../src/mutations.js';
import '../src/breadth.js';
import '../src/positions.js';
import '../src/displaced.js';
import '../src/content.js';
import '../src/text.js';
import '../src/html.js';
import '../src/removal.js';
import '../src/values.js';
import '../src/insertion.js';
import '../src/selectors.js';
import { addCss } from '../src/css.js';
import { reportTo } from '../src/guard.js';
import { parts } from '../src/parts.js';
import { asPublished } from './published.js';

/** @import { Treatment } from '../src/types' */

/** @type {Treatment | null} */
let shown = null;
/** @type {string[]} */
let errors = [];
let turn = 0;
let hasStarted = false;

reportTo((error) => {
  errors.push(`${/** @type {any} */ (error)?.message ?? error}`.slice(0, 300));
});

const takeBack = () => {
  if (!shown) return;
  parts._retire?.(shown._rules);
  parts._undo?.(shown._rules);
  for (const remove of shown._sheets) remove();
  shown = null;
};

/**
 * Return the number of elements that a selector matches, or -1 for one that is not valid.
 * @param {string} selector
 * @param {Document} [page]
 */
export const matchesOf = (selector, page = document) => {
  try {
    return page.querySelectorAll(selector).length;
  } catch {
    return -1;
  }
};

/**
 * Show these changes in the place of those before. Return the matches of each on the page as it was, and what failed.
 * @param {any[]} mutations as the API has them
 * @param {string} css
 */
export const show = (mutations, css) => {
  if (!hasStarted) parts._startMutations?.();
  hasStarted = true;
  takeBack();
  errors = [];
  const matches = mutations.map(({ selector }) => matchesOf(selector));
  const valid = mutations.filter((_, index) => Number(matches[index]) >= 0);
  // Each turn has a key of its own, as marks of insertions are made of it.
  const decision = /** @type {any} */ ({ experiment: { id: 'editor' }, variation: { id: 'editor' } });
  shown = {
    _key: `editor/${turn++}`,
    _decision: decision,
    _content: { mutations: valid.map(asPublished) },
    _rules: [],
    _sheets: css ? [addCss(css)] : [],
    _missing: 0,
  };
  parts._addRules?.(shown);
  parts._watch?.();
  return { matches, errors };
};
