// Part that applies mutations to present elements and to those that the parser or the page adds later, and undoes them
// when their treatment ends. Observer callbacks run before the next paint, so nothing needs to be hidden.

import { actions } from './actions.js';
import { awaitDrawing, noteDrawing } from './drawing.js';
import { emitOnce } from './events.js';
import { guard, listen } from './guard.js';
import { codeOf, fold } from './hash.js';
import { select } from './lists.js';
import { keysOf, startTimer } from './natives.js';
import { parts } from './parts.js';
import { putBack, retired } from './treatments.js';
import { turn } from './turns.js';

/** @import { Mutation, Rule, Treatment } from './types' */
/** @import { Applied } from './actions.js' */

/** Time after which a selector that has matched nothing is reported. */
const PATIENCE_MS = 5000;
/** Limit of passes with an effect in one task: a page that reverts our changes from its own observer must not hang. */
const MAX_PASSES = 500;
/** Beyond this many records, those that no longer matter are dropped: of removed elements and overwritten values. */
const MAX_REMEMBERED = 500;

/** So many nodes are searched for a rule in the time in which one added node is looked at. */
const NODES_PER_RULE = 1000;

/** Rules that are not retired. @type {Rule[]} */
let rules = [];
let joined = '';
let passes = 0;
/** Number of changes while the document is parsed: about that of its nodes. */
let nodes = 0;
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
  parts._noteApplied?.(rule);
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
  if (rule._isRetired) return; // a part of its treatment has failed in this pass
  const { selector } = rule._mutation;
  /** @type {Element[]} */
  const elements = [];
  for (const root of roots) {
    if (root.matches?.(selector)) elements[elements.length] = root;
    for (const element of root.querySelectorAll(selector)) elements[elements.length] = element;
  }
  for (const element of select(elements, (one) => isOpen(rule, one))) {
    // The rule may have failed at another element, or replaced what this one was in.
    if (!rule._isRetired && element.isConnected) guard('mutation', apply, rule._decision)(rule, element, roots);
  }
};

/** @param {any[]} roots */
const pass = (roots) => {
  for (const rule of rules) {
    resolve(rule, parts._isWide?.(rule, isParsed) ? [document] : roots);
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

/**
 * While the document is parsed, searching all of it is often cheaper than looking at each node that was added.
 * @param {number} count of changes
 */
const isSearchCheaper = (count) => !isParsed && rules.length * (nodes += count) < NODES_PER_RULE * count;

/** Outermost added elements that contain a match. @param {MutationRecord[]} records */
const rootsIn = (records) => {
  /** @type {Node[]} */
  const roots = [];
  /** @type {Set<Node | null>} */
  const added = new Set();
  for (const { addedNodes } of records) {
    for (const node of addedNodes) {
      if (node.nodeType !== 1 || added.has(node)) continue;
      if (!added.has(node.parentNode) && concerns(node)) roots[roots.length] = node;
      added.add(node);
    }
  }
  return roots;
};

/** @param {MutationRecord[]} records */
const onRecords = (records) => {
  noteDrawing(records);
  if (!rules.length || passes > MAX_PASSES) return;
  hasEffect = false;
  for (const { target } of records) {
    restore(target);
    restore(target.parentNode); // the target may be a text node
  }
  const roots = isSearchCheaper(records.length) ? [document.documentElement] : rootsIn(records);
  if (roots.length || !!parts._isWide) pass(roots);
  if (!hasEffect) return;
  observer.takeRecords(); // our own changes
  if (!passes++) startTimer(() => (passes = 0), 0);
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

/** @param {Rule} rule */
const isMissing = ({ _applied, _isRetired, _mutation }) =>
  !_applied.length && !_isRetired && !document.querySelector(_mutation.selector);

/**
 * Report the first selector that has matched nothing, once a session.
 * @param {Treatment} treatment
 */
const reportMissing = ({ _decision, _rules }) => {
  const [missing] = select(_rules, isMissing);
  if (!missing) return;
  const data = { kind: 'selector_missing', message: missing._mutation.selector };
  turn(() => emitOnce(`m:${_decision.experiment.id}`, 'sdk_error', data, _decision));
};

/** Apply mutations to present elements; `_watch` applies them to later ones. */
parts._addRules = (treatment) => {
  const { _key, _content, _decision, _rules } = treatment;
  const { mutations } = /** @type {{ mutations: Mutation[] }} */ (_content);
  const roots = [document];
  const state = fold(_key);
  for (let i = 0; i < mutations.length && !treatment._dropped; i++) {
    const add = () => {
      const mutation = mutations[i];
      /** The mark is unique per mutation, and the same on every page. @type {Rule} */
      const rule = { _decision, _mutation: mutation, _mark: codeOf(`/${i}`, state), _applied: [], _isRetired: false };
      rules[rules.length] = _rules[_rules.length] = rule;
      parts._refuseOpen?.(mutation);
      if (mutation.html) parts._trust(); // throws now if the page allows no markup, not when an element comes
      resolve(rule, roots);
    };
    guard('mutation', add, _decision)();
  }
  observer.takeRecords();
  startTimer(() => reportMissing(treatment), PATIENCE_MS);
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
