// What the visitor's variations do to this page: begun where a page needs them, given up where the next does not.
// Style sheets and mutations at once; customers' scripts when the document stands, never inside the page's own calls.

import { addCss } from './css.js';
import { record, select, some } from './lists.js';
import { createMutator } from './mutations.js';
import { keysOf, nextFrame, startTimer } from './natives.js';
import { parts } from './parts.js';

/** @import { Config, Css, Decision, Facts, Guard, Script, Treatment } from './types' */

/** How long a page waits for what its treatment needs, unless the shop says otherwise. */
const PATIENCE_MS = 800;
/** As often may a treatment begin in one page view: one whose own script makes it leave and come must end. */
const MAX_TURNS = 20;

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
  const block = variation.blocks ? parts._blockIndexOf(variation, facts) : -1;
  const key = `${experiment.id}/${variation.id}/${block}`;
  return {
    key,
    decision,
    content: (variation.blocks || [])[block] || variation,
    rules: [],
    sheets: [],
    ran: false,
    _missing: 0,
    _waits: false,
    _dropped: false,
  };
};

/**
 * @param {Config} config
 * @param {(Function | string | undefined)[]} scripts
 * @param {Guard} guard
 * @param {(decision: Decision) => void} onStand a treatment that was waited for stands
 * @param {(decision: Decision, kind: string) => void} onDrop one is given up for this page view: it does not count
 */
export const createTreatments = (config, scripts, guard, onStand, onDrop) => {
  const patience = config.runtime.hide_ms ?? PATIENCE_MS;
  /** @type {Treatment[]} */
  let active = [];
  /** No longer asked for, but still standing. @type {Treatment[]} */
  let retired = [];
  /** Experiments whose scripts have run, until they are reset. @type {Record<string, Decision>} */
  const running = record();
  /** @type {Record<string, number>} */
  let turns = record();
  let started = false;
  /** Updates that the page is given two frames for. */
  let soon = 0;

  /** The page has drawn anew what a retired treatment stood on: nothing is left to wait for. */
  const onChange = () => {
    if (retired[0] && mutator.haveGone(retired)) putBack();
  };
  const mutator = createMutator(guard, onChange);

  /**
   * @param {Script | undefined} script
   * @param {string} about
   * @param {Decision} decision
   */
  const run = (script, about, decision) => {
    const fn = typeof script === 'number' && scripts[script];
    if (fn) guard(about, () => /** @type {Function} */ (fn)(), decision)();
  };

  /** @param {Treatment[]} gone */
  const takeBack = (gone) => {
    for (let i = gone.length - 1; i >= 0; i--) {
      mutator.undo(gone[i].rules);
      for (const removeSheet of gone[i].sheets) removeSheet();
    }
  };

  const putBack = () => {
    const gone = retired;
    retired = [];
    takeBack(gone);
  };

  /**
   * Gives a treatment up for this page view: what does not stand in time is not there at all.
   * @param {Treatment} treatment
   * @param {string} kind
   */
  const giveUp = (treatment, kind) => {
    if (treatment.ran || treatment._dropped) return;
    treatment._dropped = true;
    mutator.retire(treatment.rules);
    takeBack([treatment]);
    if (findTreatment(active, treatment.key) === treatment) onDrop(treatment.decision, kind);
  };
  const drop = guard('treatments', giveUp);

  /**
   * @param {Treatment} treatment
   * @param {Css | undefined} css
   */
  const addSheet = (treatment, css) => {
    if (!css) return;
    const { sheets } = treatment;
    if (typeof css === 'string') sheets[sheets.length] = addCss(css);
    else parts._placeSheet(treatment, css, config.runtime.assets_url);
  };

  /** @param {Treatment} treatment */
  const begin = (treatment) => {
    const { key, decision, content } = treatment;
    turns[key] = (turns[key] || 0) + 1;
    treatment._waits = !!parts._waitsFor?.(treatment, scripts) || turns[key] > MAX_TURNS;
    if (turns[key] > MAX_TURNS) return drop(treatment, 'flapping');
    if (treatment._waits) {
      treatment._drop = (kind) => drop(treatment, kind);
      treatment._settle = () => soon || whenParsed(settle);
      parts._wait(treatment, patience);
      parts._loadScripts?.(treatment, scripts, config.runtime.assets_url);
    }
    addSheet(treatment, decision.experiment.css);
    addSheet(treatment, content.css);
    const complain = (/** @type {string} */ selector) => {
      throw new Error(`invalid selector ${selector}`);
    };
    treatment.rules = mutator.add(content.mutations || [], key, guard('selector', complain, decision));
  };

  /** Runs what has everything it needs, each treatment once. */
  const settle = guard('treatments', () => {
    putBack();
    for (const id of keysOf(running)) {
      const decision = running[id];
      if (hasExperiment(active, decision.experiment)) continue;
      delete running[id];
      run(decision.experiment.reset_js, 'reset_js', decision);
    }
    for (const treatment of active) {
      const { decision, content, ran, _dropped, _missing } = treatment;
      if (ran || _dropped || _missing) continue;
      if (treatment._isLate?.()) {
        drop(treatment, 'timeout');
        continue;
      }
      treatment.ran = true;
      const { id, js } = decision.experiment;
      if (!running[id]) run(js, 'experiment_js', decision);
      running[id] = decision;
      run(content.js, 'variation_js', decision);
      treatment._reveal?.();
      if (treatment._waits) onStand(decision);
    }
  });

  return {
    /**
     * Makes the page's treatments those of the decisions.
     * @param {Decision[]} decisions
     * @param {Facts} facts
     * @param {boolean} isView a page view begins, to which what was dropped before means nothing
     */
    update(decisions, facts, isView) {
      if (isView) turns = record();
      const before = select(active, (treatment) => !isView || !treatment._dropped);
      active = [];
      for (const decision of decisions) {
        const planned = plan(decision, facts);
        active[active.length] = findTreatment(before, planned.key) || planned;
      }
      const leaving = select(before, ({ key }) => !findTreatment(active, key));
      retired = [...retired, ...leaving];
      // Retired before others begin: what comes to an element that a retired one holds puts the page's own back first.
      for (const { rules } of leaving) mutator.retire(rules);
      for (const treatment of active) if (!findTreatment(before, treatment.key)) begin(treatment);
      mutator.watch(!!retired[0]);
      // On a later address the page may not have drawn its new content yet: the old keeps its treatment so long.
      const later = started ? afterTwoFrames : /** @param {() => void} fn */ (fn) => fn();
      started = true;
      soon++;
      later(() => {
        soon--;
        whenParsed(settle);
      });
    },

    /** Whether the page view does not count as an exposure, or not yet. @param {Decision} decision */
    isAwaited: ({ experiment }) =>
      some(active, ({ decision, ran, _waits }) => _waits && !ran && decision.experiment.id === experiment.id),
  };
};
