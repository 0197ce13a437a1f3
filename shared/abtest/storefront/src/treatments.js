// Treatments: the visitor's variations applied to this page. They begin on pages that need them and end on the others.
// Style sheets and mutations apply at once; customers' scripts run after parsing, never inside the page's own calls.

import { assignments } from './decisions.js';
import { guard, listen } from './guard.js';
import { select, some } from './lists.js';
import { nextFrame, startTimer } from './natives.js';
import { notify } from './notices.js';
import { parts } from './parts.js';

/** @import { Decision, Facts, Treatment } from './types' */

/** @type {Treatment[]} */
export let active = [];
/** Ended, but not undone yet. @type {Treatment[]} */
export let retired = [];
let hasBegun = false;
/** Number of two-frame waits that are still running. */
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
 * Plan a decision's treatment for this page, without beginning it.
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

/** Take a treatment back for the rest of the page view; it is not counted. @param {Treatment} treatment */
export const abandon = (treatment) => {
  treatment._dropped = true;
  parts._retire?.(treatment._rules);
  takeBack([treatment]);
  notify('decision', assignments());
};

/**
 * Half a variation is another one: if a part of it fails, none of it is shown.
 * @param {Decision | undefined} decision
 */
export const fail = (decision) => {
  for (const treatment of active) if (treatment._decision === decision) abandon(treatment);
};

/**
 * Return whether the treatment of an experiment was taken back or, with `mayWait`, waits for its scripts.
 * @param {string} id
 * @param {boolean} [mayWait]
 */
export const isAbsent = (id, mayWait) =>
  some(
    active,
    ({ _decision, _dropped, _ran, _waits }) =>
      _decision.experiment.id === id && (_dropped || (mayWait && _waits && !_ran)),
  );

/** Undo the retired treatments. */
export const putBack = () => {
  const gone = retired;
  retired = [];
  takeBack(gone);
};

/** @param {Treatment} treatment */
const begin = (treatment) => {
  const { _decision: decision, _content: content } = treatment;
  if (parts._flaps?.(treatment)) return;
  parts._awaitScripts?.(treatment);
  parts._wait?.(treatment);
  for (const css of [decision.experiment.css, content.css]) if (css) parts._addSheet(treatment, css);
  if (content.mutations) parts._addRules(treatment);
};

/** Undo retired treatments, and run the scripts of those that have everything they need, each once. */
export const settle = guard('treatments', () => {
  if (parts._awaited) return; // called again when the page has rendered
  putBack();
  parts._resetScripts?.(active);
  /** @type {Treatment[]} */
  const ran = [];
  for (const treatment of active) {
    if (treatment._ran || treatment._dropped || parts._isLate?.(treatment)) continue;
    treatment._ran = true;
    parts._runScripts?.(treatment);
    parts._reveal?.(treatment);
    ran[ran.length] = treatment;
  }
  parts._countRuns?.(ran);
});

const later = () => {
  soon--;
  whenParsed(settle);
};

/** Settle after two frames, in which the page can render. */
export const settleSoon = () => {
  soon++;
  if (document.hidden) startTimer(later, 0);
  else nextFrame(() => nextFrame(later));
};

/**
 * Replace the page's treatments with those of the decisions.
 * @param {Decision[]} decisions
 * @param {Facts} facts
 * @param {boolean} isView a page view begins; dropped treatments may begin again
 * @param {unknown} [isNew] the address has changed, and the page may not have rendered its content yet
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
  // Retire before others begin: a treatment that takes over an element first restores the page's own state.
  parts._leave?.(leaving, isNew);
  for (const treatment of active) if (!findTreatment(before, treatment._key)) begin(treatment);
  parts._watch?.();
  if (hasBegun) settleSoon();
  else whenParsed(settle);
  hasBegun = true;
};
