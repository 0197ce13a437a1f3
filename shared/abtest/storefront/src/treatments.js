// What the visitor's variations do to this page: begun where a page needs them, given up where the next does not.
// Style sheets and mutations at once; customers' scripts when the document stands, never inside the page's own calls.

import { guard, listen } from './guard.js';
import { select } from './lists.js';
import { nextFrame, startTimer } from './natives.js';
import { parts } from './parts.js';

/** @import { Decision, Facts, Treatment } from './types' */

/** @type {Treatment[]} */
export let active = [];
/** No longer asked for, but still standing. @type {Treatment[]} */
export let retired = [];
let hasBegun = false;
/** How often the page was given two frames that are not over. */
export let soon = 0;

/** @param {() => void} fn */
export const whenParsed = (fn) => {
  if (document.readyState === 'loading') listen('DOMContentLoaded', fn);
  else fn();
};

/**
 * @param {Treatment[]} list
 * @param {string} key
 */
const findTreatment = (list, key) => select(list, ({ _key }) => _key === key)[0];

/**
 * What a decision asks for on this page, not begun.
 * @param {Decision} decision
 * @param {Facts} facts
 * @returns {Treatment}
 */
const plan = (decision, facts) => {
  const { experiment, variation } = decision;
  const block = variation.blocks ? parts._blockIndexOf(variation, facts) : -1;
  return {
    _key: `${experiment.id}/${variation.id}/${block}`,
    _decision: decision,
    _content: parts._blockAt?.(variation, block) || variation,
    _rules: [],
    _sheets: [],
    _missing: 0,
  };
};

/** @param {Treatment[]} gone */
export const takeBack = (gone) => {
  for (let i = gone.length - 1; i >= 0; i--) {
    parts._undo?.(gone[i]._rules);
    parts._removeSheets?.(gone[i]._sheets);
  }
};

/** Nothing is left to wait for: the page's own comes back where retired treatments stood. */
export const putBack = () => {
  const gone = retired;
  retired = [];
  takeBack(gone);
};

/** @param {Treatment} treatment */
const begin = (treatment) => {
  const { _decision: decision, _content: content } = treatment;
  if (parts._flaps?.(treatment)) return;
  parts._wait?.(treatment);
  for (const css of [decision.experiment.css, content.css]) if (css) parts._addSheet(treatment, css);
  if (content.mutations) parts._addRules(treatment);
};

/** Runs what has everything it needs, each treatment once. */
export const settle = guard('treatments', () => {
  if (parts._awaited) return; // it comes again
  putBack();
  parts._resetScripts?.(active);
  for (const treatment of active) {
    if (treatment._ran || treatment._dropped || parts._isLate?.(treatment)) continue;
    treatment._ran = true;
    parts._runScripts?.(treatment);
    parts._reveal?.(treatment);
  }
});

const later = () => {
  soon--;
  whenParsed(settle);
};

/** The page is given two frames. */
export const settleSoon = () => {
  soon++;
  if (document.hidden) startTimer(later, 0);
  else nextFrame(() => nextFrame(later));
};

/**
 * Makes the page's treatments those of the decisions.
 * @param {Decision[]} decisions
 * @param {Facts} facts
 * @param {boolean} isView a page view begins, to which what was dropped before means nothing
 * @param {unknown} [isNew] the address is another, and the page may not have drawn what belongs to it
 */
export const update = (decisions, facts, isView, isNew) => {
  if (isView) parts._beginView?.();
  const before = select(active, ({ _dropped }) => !isView || !_dropped);
  active = [];
  for (const decision of decisions) {
    const planned = plan(decision, facts);
    active[active.length] = findTreatment(before, planned._key) || planned;
  }
  const leaving = select(before, ({ _key }) => !findTreatment(active, _key));
  retired = [...retired, ...leaving];
  // Retired before others begin: what comes to an element that a retired one holds puts the page's own back first.
  parts._leave?.(leaving, isNew);
  for (const treatment of active) if (!findTreatment(before, treatment._key)) begin(treatment);
  parts._watch?.();
  if (hasBegun) settleSoon();
  else whenParsed(settle);
  hasBegun = true;
};
