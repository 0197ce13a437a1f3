// What the visitor's variations do to this page: begun where a page needs them, given up where the next does not.
// Style sheets and mutations at once; customers' scripts when the document stands, never inside the page's own calls.

import { blockIndexOf } from './blocks.js';
import { addCss } from './css.js';
import { select, some } from './lists.js';
import { createMutator } from './mutations.js';
import { nextFrame, startTimer } from './natives.js';

/** @import { Content, Decision, Facts, Guard, Script } from './types' */
/** @import { Rule } from './mutations.js' */

/**
 * @typedef {{
 *   key: string, decision: Decision, content: Content, rules: Rule[], sheets: (() => void)[], ran: boolean,
 *   reveal(): void,
 * }} Treatment
 */

/** What a treatment hides is seen after so long, whether or not the treatment stands. */
const HIDDEN_MS = 800;

/** @param {() => void} fn */
const afterTwoFrames = (fn) => {
  if (document.hidden) startTimer(fn, 0);
  else nextFrame(() => nextFrame(fn));
};

/** @param {() => void} fn */
const whenParsed = (fn) => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', fn, { once: true });
  else fn();
};

/**
 * @param {Treatment[]} list
 * @param {{ id: string }} experiment
 */
const hasExperiment = (list, { id }) => some(list, ({ decision }) => decision.experiment.id === id);

/**
 * @param {Treatment[]} list
 * @param {string} key
 */
const findTreatment = (list, key) => select(list, (treatment) => treatment.key === key)[0];

/**
 * What a decision asks for on this page, not begun.
 * @param {Decision} decision
 * @param {Facts} facts
 * @returns {Treatment}
 */
const plan = (decision, facts) => {
  const { experiment, variation } = decision;
  const block = blockIndexOf(variation, facts);
  const key = `${experiment.id}/${variation.id}/${block}`;
  return {
    key,
    decision,
    content: (variation.blocks || [])[block] || variation,
    rules: [],
    sheets: [],
    ran: false,
    reveal() {},
  };
};

/**
 * Hides what would be seen before its treatment stands.
 * @param {string[]} selectors each a rule of its own: one that does not parse harms no other
 */
const hide = (selectors) => {
  let css = '';
  for (const selector of selectors) css += `${selector}{opacity:0!important}`;
  const reveal = addCss(css);
  startTimer(reveal, HIDDEN_MS);
  return reveal;
};

/**
 * @param {((() => void) | undefined)[]} scripts
 * @param {Guard} guard
 */
export const createTreatments = (scripts, guard) => {
  const mutator = createMutator(guard);
  /** @type {Treatment[]} */
  let active = [];
  /** @type {Treatment[]} */
  let retired = [];
  let started = false;

  /**
   * @param {Script | undefined} script
   * @param {string} about
   * @param {Decision} decision
   */
  const run = (script, about, decision) => {
    const fn = typeof script === 'number' && scripts[script];
    if (fn) guard(about, () => fn(), decision)();
  };

  /** @param {Treatment} treatment */
  const begin = (treatment) => {
    const { key, decision, content, sheets } = treatment;
    for (const css of [decision.experiment.css, content.css]) if (css) sheets[sheets.length] = addCss(css);
    if (content.hide) {
      treatment.reveal = hide(content.hide);
      sheets[sheets.length] = treatment.reveal;
    }
    const complain = (/** @type {string} */ selector) => {
      throw new Error(`invalid selector ${selector}`);
    };
    treatment.rules = mutator.add(content.mutations || [], key, guard('selector', complain, decision));
  };

  /** Puts back what retired treatments did; one whose experiment is gone altogether resets it. */
  const restore = () => {
    const gone = retired;
    retired = [];
    for (let i = gone.length - 1; i >= 0; i--) {
      mutator.undo(gone[i].rules);
      for (const removeSheet of gone[i].sheets) removeSheet();
    }
    for (const { decision, ran } of gone) {
      if (ran && !hasExperiment(active, decision.experiment)) {
        run(decision.experiment.reset_js, 'reset_js', decision);
      }
    }
    return gone;
  };

  const settle = () => {
    const gone = restore();
    for (const treatment of active) {
      if (treatment.ran) continue;
      treatment.ran = true;
      const { decision, content } = treatment;
      if (!hasExperiment(gone, decision.experiment)) run(decision.experiment.js, 'experiment_js', decision);
      run(content.js, 'variation_js', decision);
      treatment.reveal();
    }
  };

  return {
    /**
     * Makes the page's treatments those of the decisions.
     * @param {Decision[]} decisions
     * @param {Facts} facts
     */
    update(decisions, facts) {
      const running = active;
      active = [];
      for (const decision of decisions) {
        const planned = plan(decision, facts);
        active[active.length] = findTreatment(running, planned.key) || planned;
      }
      const leaving = select(running, ({ key }) => !findTreatment(active, key));
      retired = [...retired, ...leaving];
      // Retired before others begin: what comes to an element that a retired one holds puts the page's own back first.
      for (const { rules } of leaving) mutator.retire(rules);
      for (const treatment of active) if (!findTreatment(running, treatment.key)) begin(treatment);
      mutator.watch();
      // On a later address the page may not have drawn its new content yet: the old keeps its treatment so long.
      const soon = started ? afterTwoFrames : /** @param {() => void} fn */ (fn) => fn();
      started = true;
      soon(() => whenParsed(guard('treatments', settle)));
    },
  };
};
