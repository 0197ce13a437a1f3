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
/** Elements that a page has thrown away, and values that it has written over, are forgotten beyond this many. */
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
    rule.applied = select(rule.applied, (old) => !old.done && old.anchor.isConnected);
  }
  rule.applied[rule.applied.length] = applied;
};

/** Once: by the second time the same value may be another treatment's. @param {Applied | undefined} applied */
const takeBack = (applied) => {
  if (!applied || applied.done) return;
  applied.done = true;
  applied.undo();
};

/** Actions that the page can undo without adding an element. */
const REWRITTEN = /^[ahst]/;

/**
 * @param {Guard} guard
 * @param {() => void} onChange the page has changed
 */
export const createMutator = (guard, onChange) => {
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
    watchValues(element, known);
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

  /**
   * The page writes values as it likes; those of an element that has some of ours are looked at.
   * @param {Element} element
   * @param {Map<Rule, Applied>} known
   */
  const watchValues = (element, known) => {
    let attributes = false;
    let characterData = false;
    for (const [{ mutation }] of known) {
      if (mutation.action === 'text') characterData = true;
      if (mutation.action === 'attribute' || mutation.action === 'style') attributes = true;
    }
    if (attributes || characterData) observer.observe(element, { attributes, characterData, subtree: characterData });
  };

  /** The page has rewritten something of an element in which something was ours. @param {Node | null} target */
  const restore = (target) => {
    const known = target && touched.get(target);
    if (!known) return;
    for (const [rule, applied] of known) {
      if (REWRITTEN.test(rule.mutation.action) && !rule.retired && !applied.holds(!parsed)) {
        apply(rule, /** @type {Element} */ (target), []);
      }
    }
  };

  /** @param {Element} element */
  const concerns = (element) =>
    element.isConnected && (element.matches(joined) || !!element.querySelector(joined));

  /** Outermost elements of what was added, with something to find in them. @param {MutationRecord[]} records */
  const addedRoots = (records) => {
    /** @type {Element[]} */
    const roots = [];
    /** @type {Set<Node | null>} */
    const added = new Set();
    for (const { addedNodes } of records) {
      for (const node of addedNodes) {
        if (node.nodeType !== 1 || added.has(node)) continue;
        const isWithin = added.has(node.parentNode);
        added.add(node);
        const element = /** @type {Element} */ (node);
        if (!isWithin && concerns(element)) roots[roots.length] = element;
      }
    }
    return roots;
  };

  /** @param {MutationRecord[]} records */
  const onRecords = (records) => {
    if (!rules.length || passes > MAX_PASSES) return;
    effect = false;
    for (const { target, type } of records) restore(type === 'characterData' ? target.parentNode : target);
    pass(addedRoots(records));
    observer.takeRecords(); // our own changes
    if (effect && !passes++) startTimer(() => (passes = 0), 0);
  };

  const look = (/** @type {MutationRecord[]} */ records) => {
    onRecords(records);
    onChange();
  };
  const observer = new MutationObserver(guard('observer', look));

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

    /**
     * From now on the observer looks for what the rules select.
     * @param {boolean} isLeaving what is retired may be replaced by the page, which is to be known
     */
    watch(isLeaving) {
      joined = '';
      for (const rule of rules) joined += (joined && ',') + rule.mutation.selector;
      if (joined || isLeaving) observer.observe(document, { childList: true, subtree: true });
      else observer.disconnect();
    },

    /** Whether the page has thrown away all that the treatments changed. @param {{ rules: Rule[] }[]} treatments */
    haveGone(treatments) {
      let gone = false;
      for (const treatment of treatments) {
        for (const { applied } of treatment.rules) {
          for (const { anchor } of applied) {
            if (anchor.isConnected) return false;
            gone = true;
          }
        }
      }
      return gone;
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
