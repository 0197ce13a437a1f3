// What the visitor's variations do to this page: begun where a page needs them, given up where the next does not.
// Style sheets and mutations at once; customers' scripts when the document stands, never inside the page's own calls.

import { blockIndexOf } from './blocks.js';
import { addCss } from './css.js';
import { select } from './lists.js';
import { createMutator } from './mutations.js';
import { nextFrame, startTimer } from './natives.js';

/** @import { Address, Content, Decision, Experiment, Guard, Script } from './types' */
/** @import { Rule } from './mutations.js' */

/**
 * @typedef {{
 *   key: string, decision: Decision, content: Content, rules: Rule[], sheets: (() => void)[], ran: boolean,
 * }} Treatment
 */

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
 * @param {Experiment} experiment
 */
const hasExperiment = (list, experiment) =>
  select(list, ({ decision }) => decision.experiment === experiment).length > 0;

/**
 * @param {Treatment[]} list
 * @param {string} key
 */
const findTreatment = (list, key) => select(list, (treatment) => treatment.key === key)[0];

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

  /**
   * @param {string} key
   * @param {Decision} decision
   * @param {Content} content
   * @returns {Treatment}
   */
  const begin = (key, decision, content) => {
    /** @type {(() => void)[]} */
    const sheets = [];
    for (const css of [decision.experiment.css, content.css]) if (css) sheets[sheets.length] = addCss(css);
    const complain = guard(
      'selector',
      (selector) => {
        throw new Error(`invalid selector ${selector}`);
      },
      decision,
    );
    const rules = mutator.add(content.mutations || [], key, complain);
    return { key, decision, content, rules, sheets, ran: false };
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
      if (ran && !hasExperiment(active, decision.experiment))
        run(decision.experiment.reset_js, 'reset_js', decision);
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
    }
  };

  /**
   * The treatment that a decision asks for on this page: the running one, where there is one.
   * @param {Treatment[]} running
   * @param {Decision} decision
   * @param {Address} address
   */
  const treatmentOf = (running, decision, address) => {
    const { experiment, variation } = decision;
    const block = blockIndexOf(variation, address);
    const key = `${experiment.id}/${variation.id}/${block}`;
    const content = (variation.blocks || [])[block] || variation;
    return findTreatment(running, key) || begin(key, decision, content);
  };

  /** Those that go are no longer applied, and put back later. @param {Treatment[]} running */
  const retireOthers = (running) => {
    const leaving = select(running, ({ key }) => !findTreatment(active, key));
    for (const { rules } of leaving) mutator.retire(rules);
    retired = [...retired, ...leaving];
  };

  return {
    /**
     * Makes the page's treatments those of the decisions.
     * @param {Decision[]} decisions
     * @param {Address} address
     */
    update(decisions, address) {
      const running = active;
      active = [];
      for (const decision of decisions) active[active.length] = treatmentOf(running, decision, address);
      retireOthers(running);
      mutator.watch();
      // On a later address the page may not have drawn its new content yet: the old keeps its treatment so long.
      const soon = started ? afterTwoFrames : /** @param {() => void} fn */ (fn) => fn();
      started = true;
      soon(() => whenParsed(guard('treatments', settle)));
    },
  };
};
