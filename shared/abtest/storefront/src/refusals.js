// Reasons why page rules and audiences do not hold, for explanations; the same as `abtest.domain.targeting.refusals`.
// Rules are tested in the order of `pages`, so that asking for a reason sets up no trigger that a decision has not.

import { attributesOf } from './attributes.js';
import { compileEntry, holds, valueAt } from './conditions.js';
import { excerptOf } from './excerpts.js';
import { record } from './lists.js';
import { isArray, keysOf } from './natives.js';
import { anyUrl } from './pages.js';
import { once } from './patterns.js';

/** @import { Audience, Condition, Facts, PageRule, Pages } from './types' */
/** @import { SvcComparison, SvcRulePlace } from '../svc' */

/** @typedef {{ _rule: any, _place: SvcRulePlace, _stage: number }} Refusal */

/** How far a rule holds: its address, then its trigger, then its condition. */
const EXCLUDED = 0;
const NOT_INCLUDED = 1;
const NOT_FIRED = 2;
const NOT_DESCRIBED = 3;
const HOLDS = 4;

/** Conditions that are nested more deeply are shown whole. */
const MAX_DEPTH = 20;

/** @param {Facts} facts */
const attributesIn = (facts) =>
  (facts.attributes ||= attributesOf(facts.visitor, facts.address, facts.zones, facts.now));

/** Excerpts of attributes by path, as many audiences compare the same. @type {WeakMap<object, Record<string, any>>} */
const excerpts = new WeakMap();

/**
 * An excerpt of the attribute at a path.
 * @param {object} attributes
 * @param {string} path
 */
const attributeAt = (attributes, path) => {
  let known = excerpts.get(attributes);
  if (!known) excerpts.set(attributes, (known = record()));
  return path in known ? known[path] : (known[path] = excerptOf(valueAt(attributes, path.split('.'))));
};

/** Entries of a condition with their tests, by name: the order of names differs between languages. */
const entriesOf = once((/** @type {Condition} */ condition) => {
  /** @type {{ _name: string, _test: ReturnType<typeof compileEntry> }[]} */
  const entries = [];
  for (const name of keysOf(condition)) {
    let at = entries.length;
    for (; at > 0 && entries[at - 1]._name > name; at--) entries[at] = entries[at - 1];
    entries[at] = { _name: name, _test: compileEntry(condition, name) };
  }
  return entries;
});

/**
 * The comparison that settles an entry of a condition.
 * @param {string} name
 * @param {any} operand
 * @param {any} attributes
 * @param {boolean} result what the entry evaluates to
 * @param {number} depth
 * @returns {SvcComparison}
 */
const leafOfEntry = (name, operand, attributes, result, depth) => {
  if (name === '$not') return leafOf(operand, attributes, !result, depth + 1);
  if (name !== '$and' && name !== '$or' && name !== '$nor') {
    return { attribute: name, condition: excerptOf(operand), value: attributeAt(attributes, name) };
  }
  const inner = name === '$nor' ? !result : result;
  for (const each of isArray(operand) ? operand : []) {
    if (holds(each, attributes) === inner) return leafOf(each, attributes, inner, depth + 1);
  }
  return { attribute: null, condition: excerptOf({ [name]: operand }), value: null };
};

/**
 * The comparison that settles a condition: the first that has its result.
 * @param {any} condition
 * @param {any} attributes
 * @param {boolean} result what the condition evaluates to
 * @param {number} depth
 * @returns {SvcComparison}
 */
const leafOf = (condition, attributes, result, depth) => {
  const isObject = typeof condition === 'object' && condition && !isArray(condition);
  for (const { _name: name, _test: test } of isObject && depth < MAX_DEPTH ? entriesOf(condition) : []) {
    if (test(attributes, {}) === result) return leafOfEntry(name, condition[name], attributes, result, depth);
  }
  return { attribute: null, condition: excerptOf(condition), value: null };
};

/**
 * @param {Condition} condition
 * @param {Facts} facts
 */
const stageOfCondition = (condition, facts) => (holds(condition, attributesIn(facts)) ? HOLDS : NOT_DESCRIBED);

/**
 * @param {PageRule} rule
 * @param {Facts} facts
 */
const stageOfPage = ({ include, exclude, trigger, when }, facts) => {
  if (anyUrl(exclude, facts.address)) return EXCLUDED;
  if (include?.length && !anyUrl(include, facts.address)) return NOT_INCLUDED;
  if (trigger && !facts.visitor.fired?.(trigger)) return NOT_FIRED;
  return when === undefined ? HOLDS : stageOfCondition(when, facts);
};

/**
 * The first excluding rule that holds.
 * @template T
 * @param {T[]} rules
 * @param {SvcRulePlace['mode']} mode
 * @param {(rule: T) => number} stageOf
 * @returns {Refusal | undefined}
 */
const excluding = (rules, mode, stageOf) => {
  let index = 0;
  for (const rule of rules) {
    if (stageOf(rule) === HOLDS) return { _rule: rule, _place: { rule: index, sense: 'out', mode }, _stage: HOLDS };
    index++;
  }
  return undefined;
};

/**
 * The first including rule that does not hold; in the mode `any` the first of those that hold furthest, if none holds.
 * @template T
 * @param {T[]} rules
 * @param {SvcRulePlace['mode']} mode
 * @param {(rule: T) => number} stageOf
 * @returns {Refusal | undefined}
 */
const missing = (rules, mode, stageOf) => {
  /** @type {Refusal | undefined} */
  let furthest;
  let index = -1;
  for (const rule of rules) {
    index++;
    const stage = stageOf(rule);
    if (stage === HOLDS && mode === 'any') return undefined;
    const isNearer = furthest && (stage < NOT_FIRED || stage <= furthest._stage);
    if (stage === HOLDS || isNearer) continue;
    furthest = { _rule: rule, _place: { rule: index, sense: 'in', mode }, _stage: stage };
    if (mode === 'all') break;
  }
  return furthest;
};

/**
 * The rule that makes combined rules fail; undefined if they do.
 * @template T
 * @param {{ mode?: 'any' | 'all', in?: T[], out?: T[] } | undefined} rules
 * @param {(rule: T, facts: Facts) => number} stageOf
 * @param {Facts} facts
 */
const refusalOf = (rules, stageOf, facts) => {
  if (!rules) return undefined;
  const mode = rules.mode === 'all' ? 'all' : 'any';
  const stage = (/** @type {T} */ rule) => stageOf(rule, facts);
  return excluding(rules.out || [], mode, stage) || missing(rules.in || [], mode, stage);
};

/**
 * Why the audience does not hold; undefined if it does.
 * @param {Audience | undefined} audience
 * @param {Facts} facts
 */
export const refusedAudience = (audience, facts) => {
  const refusal = refusalOf(audience, stageOfCondition, facts);
  if (!refusal) return undefined;
  const { attribute, condition, value } = leafOf(refusal._rule, attributesIn(facts), refusal._stage === HOLDS, 0);
  const { rule, sense, mode } = refusal._place;
  return { step: 'audience', detail: { rule, sense, mode, attribute, condition, value } };
};

/**
 * @param {PageRule} rule
 * @param {number} stage
 * @param {Facts} facts
 */
const detailOfPage = (rule, stage, facts) => {
  const { address } = facts;
  const value = address ? excerptOf(address.href) : null;
  if (stage === HOLDS) return { because: 'taken_out', condition: excerptOf(rule), value };
  if (stage === NOT_INCLUDED) return { because: 'not_included', condition: excerptOf(rule.include), value };
  if (stage === NOT_DESCRIBED) return { because: 'condition', ...leafOf(rule.when, attributesIn(facts), false, 0) };
  for (const each of rule.exclude || []) {
    if (anyUrl([each], address)) return { because: 'excluded', condition: excerptOf(each), value };
  }
  return undefined;
};

/**
 * Why the pages do not hold; undefined if they do.
 * @param {Pages | undefined} pages
 * @param {Facts} facts
 */
export const refusedPages = (pages, facts) => {
  const refusal = refusalOf(pages, stageOfPage, facts);
  if (!refusal) return undefined;
  const { _rule: rule, _place: place, _stage: stage } = refusal;
  if (stage === NOT_FIRED) return { step: 'trigger', detail: { ...place, trigger: excerptOf(rule.trigger) } };
  return { step: 'page_rule', detail: { ...place, ...detailOfPage(rule, stage, facts) } };
};
