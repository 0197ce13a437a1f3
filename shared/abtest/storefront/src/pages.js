// Where and for whom: page rules, audiences, and how either combine.

import { parts } from './parts.js';
import { matchesUrl } from './urls.js';

/** @import { Address, Audience, Facts, PageRule, Pages, UrlRule } from './types' */

/**
 * @param {UrlRule[] | undefined} rules
 * @param {Address | undefined} address none matches no rule
 */
const anyUrl = (rules, address) => {
  if (rules && address) for (const rule of rules) if (matchesUrl(rule, address)) return true;
  return false;
};

/**
 * Any exclude that matches says no; then any include; without includes the rule holds everywhere. Then its trigger
 * must have fired and its condition hold: in this order, as asking for a trigger is what sets it up.
 * @param {PageRule} rule
 * @param {Facts} facts
 */
export const matchesPage = ({ include, exclude, trigger, when }, facts) =>
  !anyUrl(exclude, facts.address) &&
  (!include?.length || anyUrl(include, facts.address)) &&
  (!trigger || parts._hasFired(trigger, facts)) &&
  (when === undefined || parts._describes(when, facts));

/** @type {any[]} */
const NONE = [];

/**
 * Any `out` that holds says no; then any (or all) of `in`; an empty `in` says yes.
 * @template T
 * @param {{ mode?: 'any' | 'all', in?: T[], out?: T[] } | undefined} rules
 * @param {(rule: T, facts: Facts) => boolean} test
 * @param {Facts} facts
 */
const combine = (rules, test, facts) => {
  if (!rules) return true;
  for (const rule of rules.out || NONE) if (test(rule, facts)) return false;
  const wanted = rules.in || NONE;
  const all = rules.mode === 'all';
  for (const rule of wanted) if (test(rule, facts) !== all) return !all;
  return all || !wanted.length;
};

/**
 * @param {Pages | undefined} pages
 * @param {Facts} facts
 */
export const matchesPages = (pages, facts) => combine(pages, matchesPage, facts);

/**
 * @param {Audience | undefined} audience
 * @param {Facts} facts
 */
export const matchesAudience = (audience, facts) => combine(audience, parts._describes, facts);
