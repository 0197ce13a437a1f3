// Keeping mutations standing: on what is there, on what the parser or the page adds later, and undone when left.
// Observer callbacks run after the task that changed the page and before the next paint: nothing needs hiding.

import { act, holdsOurs, isOurs, isServed, removeStoppers, sweepInsertions } from './actions.js';
import { fold } from './hash.js';
import { select } from './lists.js';
import { startTimer } from './natives.js';
import { findIn, isComplete, kindOf, refuseOpen } from './selectors.js';

/** @import { Guard, Mutation } from './types' */
/** @import { Applied } from './actions.js' */

/**
 * A mutation at work. `resolved` remembers for each parent an element that a positional selector found there.
 * @typedef {{
 *   mutation: Mutation, mark: string, retired: boolean, applied: Applied[], resolved: WeakMap<Node, Node>,
 *   positional: boolean, whole: boolean, contextual: boolean,
 * }} Rule
 */

/** Passes with an effect within one task: a page that undoes us from an observer of its own must not hang. */
const MAX_PASSES = 500;
/** Elements that a page has thrown away are forgotten beyond this many. */
const MAX_REMEMBERED = 500;

/**
 * @param {Mutation} mutation
 * @param {string} key unique to the mutation, the same on every page
 * @returns {Rule}
 */
const createRule = (mutation, key) => ({
  mutation,
  mark: fold(key).toString(36),
  retired: false,
  applied: [],
  resolved: new WeakMap(),
  ...kindOf(mutation.selector),
});

/**
 * @param {Rule} rule
 * @param {Node | null} parent
 */
const isResolved = (rule, parent) =>
  !!parent && (rule.resolved.get(parent)?.parentNode === parent || holdsOurs(parent, rule.mark));

/**
 * @param {Rule} rule
 * @param {Element} element
 */
const isOpen = (rule, element) => {
  const parent = element.parentNode;
  if (!parent || !element.isConnected || isOurs(element, rule.mark)) return false;
  if (isServed(rule.mutation, element, rule.mark)) return false;
  return !rule.positional || (!isResolved(rule, parent) && (!rule.whole || isComplete(parent)));
};

/**
 * @param {Rule} rule
 * @param {Applied} applied
 */
const remember = (rule, applied) => {
  if (rule.applied.length >= MAX_REMEMBERED) {
    rule.applied = select(rule.applied, (old) => old.anchor.isConnected);
  }
  rule.applied[rule.applied.length] = applied;
};

/** Once: by the second time the same value may be another treatment's. @param {Applied | undefined} applied */
const takeBack = (applied) => {
  if (!applied || applied.done) return;
  applied.done = true;
  applied.undo();
};

/** @param {Guard} guard */
export const createMutator = (guard) => {
  /** @type {Rule[]} */
  let rules = [];
  let joined = '';
  let passes = 0;
  let effect = false;
  let parsed = document.readyState !== 'loading';
  /** @type {WeakMap<Node, Map<Rule, Applied>>} */
  const touched = new WeakMap();

  /**
   * @param {Rule} rule
   * @param {Element} element
   * @param {(Document | Element)[]} roots grows by what is inserted, for the rules that follow
   */
  const apply = (rule, element, roots) => {
    const known = touched.get(element) || new Map();
    touched.set(element, known);
    for (const [old, applied] of known) if (old.retired && known.delete(old)) takeBack(applied);
    const before = known.get(rule);
    if (before?.holds(!parsed)) return;
    takeBack(before);
    const parent = /** @type {Node} */ (element.parentNode);
    const applied = act(rule.mutation, element, rule.mark, (node) => {
      roots[roots.length] = node;
    });
    effect = true;
    known.set(rule, applied);
    remember(rule, applied);
    if (rule.positional) rule.resolved.set(parent, element);
  };

  /**
   * Everything is found before anything is changed: a change moves what a positional selector matches.
   * @param {Rule} rule
   * @param {(Document | Element)[]} roots
   */
  const resolve = (rule, roots) => {
    /** @type {Element[]} */
    const found = [];
    for (const root of roots) findIn(root, rule.mutation.selector, found);
    for (const element of select(found, (candidate) => isOpen(rule, candidate))) {
      guard('mutation', apply)(rule, element, roots);
    }
  };

  /** @param {Rule} rule */
  const needsDocument = (rule) => rule.contextual || (rule.whole && !parsed);

  /** @param {(Document | Element)[]} roots */
  const pass = (roots) => {
    for (const rule of rules) {
      if (needsDocument(rule)) resolve(rule, [document]);
      else if (roots.length) resolve(rule, roots);
    }
  };

  /** The page has rewritten the content of an element whose content was ours. @param {Node} target */
  const restore = (target) => {
    for (const [rule, applied] of touched.get(target) || []) {
      const isContent = rule.mutation.action === 'text' || rule.mutation.action === 'html';
      if (isContent && !rule.retired && !applied.holds(!parsed)) {
        apply(rule, /** @type {Element} */ (target), []);
      }
    }
  };

  /** @param {Node} node */
  const concerns = (node) => {
    const element = /** @type {Element} */ (node);
    return (
      node.nodeType === 1 && node.isConnected && (element.matches(joined) || !!element.querySelector(joined))
    );
  };

  /** @param {MutationRecord[]} records */
  const addedRoots = (records) => {
    /** @type {Element[]} */
    const roots = [];
    for (const { addedNodes } of records) {
      for (const node of addedNodes) if (concerns(node)) roots[roots.length] = /** @type {Element} */ (node);
    }
    return roots;
  };

  /** @param {MutationRecord[]} records */
  const onRecords = (records) => {
    if (!rules.length || passes > MAX_PASSES) return;
    effect = false;
    for (const { target } of records) restore(target);
    pass(addedRoots(records));
    observer.takeRecords(); // our own changes
    if (effect && !passes++) startTimer(() => (passes = 0), 0);
  };

  const observer = new MutationObserver(guard('observer', onRecords));

  /** What the page has changed but the observer was not yet told of. */
  const catchUp = () => onRecords(observer.takeRecords());

  document.addEventListener(
    'DOMContentLoaded',
    guard('observer', () => {
      catchUp();
      pass([]);
      parsed = true;
      removeStoppers();
      observer.takeRecords();
    }),
  );

  return {
    /**
     * Applies mutations to what is there; `watch` keeps them standing.
     * @param {Mutation[]} mutations
     * @param {string} key
     * @param {(selector: string) => void} onInvalid
     */
    add(mutations, key, onInvalid) {
      catchUp();
      /** @type {Rule[]} */
      const added = [];
      const roots = [document];
      for (let i = 0; i < mutations.length; i++) {
        const rule = createRule(mutations[i], `${key}/${i}`);
        try {
          refuseOpen(rule.mutation.selector);
          resolve(rule, roots);
          added[added.length] = rule;
        } catch {
          onInvalid(rule.mutation.selector);
        }
      }
      rules = [...rules, ...added];
      observer.takeRecords();
      return added;
    },

    /** From now on the observer looks for what the rules select. */
    watch() {
      joined = '';
      for (const rule of rules) joined += (joined && ',') + rule.mutation.selector;
      observer.disconnect();
      if (joined) observer.observe(document, { childList: true, subtree: true });
    },

    /** No longer applied to new content; what stands stays until `undo`. @param {Rule[]} retired */
    retire(retired) {
      catchUp();
      for (const rule of retired) rule.retired = true;
      rules = select(rules, (rule) => !rule.retired);
    },

    /** @param {Rule[]} retired */
    undo(retired) {
      catchUp();
      for (let i = retired.length - 1; i >= 0; i--) {
        const { applied, mark } = retired[i];
        for (let k = applied.length - 1; k >= 0; k--) guard('undo', takeBack)(applied[k]);
        sweepInsertions(mark);
      }
      observer.takeRecords();
    },
  };
};
