// The part that keeps mutations standing: on what is there, on what the parser or the page adds later, and undone when
// left. Observer callbacks run after the task that changed the page and before the next paint: nothing needs hiding.

import { actions } from './actions.js';
import { awaitDrawing, noteDrawing } from './drawing.js';
import { guard, listen } from './guard.js';
import { codeOf, fold } from './hash.js';
import { select } from './lists.js';
import { keysOf, startTimer } from './natives.js';
import { parts } from './parts.js';
import { refuseOpen } from './selectors.js';
import { putBack, retired } from './treatments.js';

/** @import { Rule } from './types' */
/** @import { Applied } from './actions.js' */

/** Passes with an effect within one task: a page that undoes us from an observer of its own must not hang. */
const MAX_PASSES = 500;
/** Elements that a page has thrown away, and values that it has written over, are forgotten beyond this many. */
const MAX_REMEMBERED = 500;
/** Bits of a mutation's `kind`: the whole document is looked at while it is parsed, or always; brackets may be open. */
const WHOLE = 2;
const CONTEXTUAL = 4;
const UNSURE = 8;

/** All but retired ones. @type {Rule[]} */
let rules = [];
let joined = '';
let passes = 0;
let hasEffect = false;
let isParsed = false;
/** @type {MutationObserver} */
let observer;
/** What was done to elements. @type {WeakMap<Node, Map<Rule, Applied>>} */
const touched = new WeakMap();

/** @param {Applied} applied */
const isOfInterest = ({ _isDone, _anchor }) => !_isDone && _anchor.isConnected;

/** Once: by the second time the same value may be another treatment's. @param {Applied | undefined} applied */
const takeBack = (applied) => {
  if (!applied || applied._isDone) return;
  applied._isDone = true;
  applied._undo();
};

/**
 * The page writes values as it likes; those of an element that has some of ours are looked at.
 * @param {Element} element
 * @param {Map<Rule, Applied>} known
 */
const watchValues = (element, known) => {
  let watched = {};
  for (const [, { _watched }] of known) watched = { ...watched, ..._watched };
  if (keysOf(watched).length) observer.observe(element, watched);
};

/**
 * Does it where it does not stand already.
 * @param {Rule} rule
 * @param {any} element
 * @param {any[]} roots grows by what is inserted, for the rules that follow
 */
const apply = (rule, element, roots) => {
  const { _mutation: mutation, _mark: mark } = rule;
  const known = touched.get(element) || new Map();
  const before = known.get(rule);
  if (before?._holds(!isParsed)) return;
  for (const [old, applied] of known) if (old._isRetired && known.delete(old)) takeBack(applied);
  takeBack(before);
  parts._takePlace?.(rule, element);
  const done = actions[mutation.action](element, mutation, mark);
  hasEffect = true;
  touched.set(element, known.set(rule, done));
  for (const node of done._added || []) roots[roots.length] = node;
  if (rule._applied.length >= MAX_REMEMBERED) rule._applied = select(rule._applied, isOfInterest);
  rule._applied[rule._applied.length] = done;
  watchValues(element, known);
};

/**
 * Whether nothing of the rule stands there yet.
 * @param {Rule} rule
 * @param {Element} element
 */
const isOpen = (rule, element) =>
  element.isConnected && !parts._isServed?.(rule, element) && !parts._isTaken?.(rule, element);

/**
 * Everything is found before anything is changed: a change moves what a positional selector matches.
 * @param {Rule} rule
 * @param {any[]} roots
 */
const resolve = (rule, roots) => {
  const { selector } = rule._mutation;
  /** @type {Element[]} */
  const found = [];
  for (const root of roots) {
    if (root.matches?.(selector)) found[found.length] = root;
    for (const element of root.querySelectorAll(selector)) found[found.length] = element;
  }
  for (const element of select(found, (one) => isOpen(rule, one))) guard('mutation', apply)(rule, element, roots);
};

/** @param {any[]} roots */
const pass = (roots) => {
  const everywhere = isParsed ? CONTEXTUAL : CONTEXTUAL | WHOLE;
  for (const rule of rules) {
    if (Number(rule._mutation.kind) & everywhere) resolve(rule, [document]);
    else if (roots.length) resolve(rule, roots);
  }
};

/** The page has rewritten something of an element in which something may be ours. @param {Node | null} target */
const restore = (target) => {
  for (const [rule, done] of touched.get(/** @type {Node} */ (target)) || []) {
    if (done._watched && !rule._isRetired) apply(rule, target, []);
  }
};

/** @param {any} element */
const concerns = (element) => element.isConnected && (element.matches(joined) || element.querySelector(joined));

/** @param {MutationRecord[]} records */
const onRecords = (records) => {
  noteDrawing(records);
  if (!rules.length || passes > MAX_PASSES) return;
  hasEffect = false;
  /** @type {Node[]} */
  const roots = []; // outermost elements of what was added, with something to find in them
  /** @type {Set<Node | null>} */
  const added = new Set();
  for (const { target, addedNodes } of records) {
    restore(target);
    restore(target.parentNode); // of a text
    for (const node of addedNodes) {
      if (node.nodeType !== 1 || added.has(node)) continue;
      if (!added.has(node.parentNode) && concerns(node)) roots[roots.length] = node;
      added.add(node);
    }
  }
  pass(roots);
  observer.takeRecords(); // our own changes
  if (hasEffect && !passes++) startTimer(() => (passes = 0), 0);
};

/** What the page has changed but the observer was not yet told of. */
const catchUp = () => onRecords(observer.takeRecords());

/** Whether the page has thrown away all that retired treatments changed. */
const haveGone = () => {
  let gone = false;
  for (const { _rules } of retired) {
    for (const { _applied } of _rules) {
      for (const { _anchor } of _applied) {
        if (_anchor.isConnected) return false;
        gone = true;
      }
    }
  }
  return gone;
};

parts._startMutations = () => {
  isParsed = document.readyState !== 'loading';
  const look = (/** @type {MutationRecord[]} */ records) => {
    onRecords(records);
    if (haveGone()) putBack();
  };
  observer = new MutationObserver(guard('observer', look));
  listen('DOMContentLoaded', () => {
    catchUp();
    pass([]);
    isParsed = true;
    parts._removeStoppers?.();
    parts._watch();
    observer.takeRecords();
  });
};

parts._leave = (leaving, isNew) => {
  for (const { _rules } of leaving) parts._retire(_rules);
  catchUp();
  if (isNew) awaitDrawing();
};

/** Applies mutations to what is there; `_watch` keeps them standing. */
parts._addRules = ({ _key, _content, _decision, _rules }) => {
  const { mutations = [] } = _content;
  const roots = [document];
  const state = fold(_key);
  for (let i = 0; i < mutations.length; i++) {
    const add = () => {
      const mutation = mutations[i];
      /** The mark is unique to the mutation, and the same on every page. @type {Rule} */
      const rule = { _mutation: mutation, _mark: codeOf(`/${i}`, state), _applied: [], _isRetired: false };
      if (Number(mutation.kind) & UNSURE) refuseOpen(mutation.selector);
      resolve(rule, roots);
      rules[rules.length] = _rules[_rules.length] = rule;
    };
    guard('selector', add, _decision)();
  }
  observer.takeRecords();
};

/** From now on the observer looks for what the rules select, and once the document is parsed for a new page. */
parts._watch = () => {
  joined = '';
  for (const { _mutation } of rules) joined += (joined && ',') + _mutation.selector;
  if (joined || isParsed) observer.observe(document, { childList: true, subtree: true });
};

/** No longer applied to new content; what stands stays until `_undo`. */
parts._retire = (gone) => {
  for (const rule of gone) rule._isRetired = true;
  rules = select(rules, ({ _isRetired }) => !_isRetired);
};

parts._undo = (gone) => {
  catchUp();
  for (let i = gone.length; i--; ) {
    const { _applied, _mark } = gone[i];
    for (let k = _applied.length; k--; ) guard('undo', takeBack)(_applied[k]);
    parts._sweep?.(_mark);
  }
  observer.takeRecords();
};
