// Part that applies mutations to present elements and to those that the parser or the page adds later, and undoes them
// when their treatment ends. Observer callbacks run before the next paint, so nothing needs to be hidden.

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

/** Limit of passes with an effect in one task: a page that reverts our changes from its own observer must not hang. */
const MAX_PASSES = 500;
/** Beyond this many records, those that no longer matter are dropped: of removed elements and overwritten values. */
const MAX_REMEMBERED = 500;
/** Bits of a mutation's `kind`: search the whole document while it is parsed, or always; the selector may be open. */
const WHOLE = 2;
const CONTEXTUAL = 4;
const UNSURE = 8;

/** Rules that are not retired. @type {Rule[]} */
let rules = [];
let joined = '';
let passes = 0;
let hasEffect = false;
let isParsed = false;
/** @type {MutationObserver} */
let observer;
/** Applied actions by element. @type {WeakMap<Node, Map<Rule, Applied>>} */
const touched = new WeakMap();

/** @param {Applied} applied */
const isOfInterest = ({ _isDone, _anchor }) => !_isDone && _anchor.isConnected;

/** Undo once: later the same value may belong to another treatment. @param {Applied | undefined} applied */
const takeBack = (applied) => {
  if (!applied || applied._isDone) return;
  applied._isDone = true;
  applied._undo();
};

/**
 * Observe the values that our actions have set on an element, because the page may overwrite them.
 * @param {Element} element
 * @param {Map<Rule, Applied>} known
 */
const watchValues = (element, known) => {
  let watched = {};
  for (const [, { _watched }] of known) watched = { ...watched, ..._watched };
  if (keysOf(watched).length) observer.observe(element, watched);
};

/**
 * Apply the rule to an element unless it is in effect there.
 * @param {Rule} rule
 * @param {any} element
 * @param {any[]} roots inserted elements are appended for the rules that follow
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
 * Return whether the rule is not applied at the element yet.
 * @param {Rule} rule
 * @param {Element} element
 */
const isOpen = (rule, element) =>
  element.isConnected && !parts._isServed?.(rule, element) && !parts._isTaken?.(rule, element);

/**
 * Collect all matches before changing any: a change moves what a positional selector matches.
 * @param {Rule} rule
 * @param {any[]} roots
 */
const resolve = (rule, roots) => {
  const { selector } = rule._mutation;
  /** @type {Element[]} */
  const elements = [];
  for (const root of roots) {
    if (root.matches?.(selector)) elements[elements.length] = root;
    for (const element of root.querySelectorAll(selector)) elements[elements.length] = element;
  }
  for (const element of select(elements, (one) => isOpen(rule, one))) guard('mutation', apply)(rule, element, roots);
};

/** @param {any[]} roots */
const pass = (roots) => {
  const everywhere = isParsed ? CONTEXTUAL : CONTEXTUAL | WHOLE;
  for (const rule of rules) {
    if (Number(rule._mutation.kind) & everywhere) resolve(rule, [document]);
    else if (roots.length) resolve(rule, roots);
  }
};

/** Apply rules again where the page has overwritten our values. @param {Node | null} target */
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
  const roots = []; // outermost added elements that contain a match
  /** @type {Set<Node | null>} */
  const added = new Set();
  for (const { target, addedNodes } of records) {
    restore(target);
    restore(target.parentNode); // the target may be a text node
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

/** Process changes by the page that the observer has not reported yet. */
const catchUp = () => onRecords(observer.takeRecords());

/** Return whether the page has removed everything that retired treatments changed. */
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

/** Apply mutations to present elements; `_watch` applies them to later ones. */
parts._addRules = ({ _key, _content, _decision, _rules }) => {
  const { mutations = [] } = _content;
  const roots = [document];
  const state = fold(_key);
  for (let i = 0; i < mutations.length; i++) {
    const add = () => {
      const mutation = mutations[i];
      /** The mark is unique per mutation, and the same on every page. @type {Rule} */
      const rule = { _mutation: mutation, _mark: codeOf(`/${i}`, state), _applied: [], _isRetired: false };
      if (Number(mutation.kind) & UNSURE) refuseOpen(mutation.selector);
      resolve(rule, roots);
      rules[rules.length] = _rules[_rules.length] = rule;
    };
    guard('selector', add, _decision)();
  }
  observer.takeRecords();
};

/** Observe added elements that the rules select and, once the document is parsed, the rendering of a new page. */
parts._watch = () => {
  joined = '';
  for (const { _mutation } of rules) joined += (joined && ',') + _mutation.selector;
  if (joined || isParsed) observer.observe(document, { childList: true, subtree: true });
};

/** Stop applying the rules to new content; present changes stay until `_undo`. */
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
