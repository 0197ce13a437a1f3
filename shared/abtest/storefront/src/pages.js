// Page rules, audiences, and how their rules combine.

import { parts } from './parts.js';
import { matchesUrl } from './urls.js';

/** @import { Address, Audience, Facts, PageRule, Pages, UrlRule } from './types' */

/**
 * @param {UrlRule[] | undefined} rules
 * @param {Address | undefined} address without one, no rule matches
 */
export const anyUrl = (rules, address) => {
  if (rules && address) for (const rule of rules) if (matchesUrl(rule, address)) return true;
  return false;
};

/**
 * No exclude may match; if there are includes, one must match. Then the trigger must have fired and the condition hold.
 * The order matters, because checking a trigger sets it up.
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
 * No `out` may hold; then any (or all) of `in` must hold, or `in` is empty.
 * @template T
 * @param {{ mode?: 'any' | 'all', in?: T[], out?: T[] } | undefined} rules
 * @param {(rule: T, facts: Facts) => boolean} test
 * @param {Facts} facts
 */
const combine = (rules, test, facts) => {
  if (!rules) return true;
  for (const rule of rules.out || NONE) if (test(rule, facts)) return false;
  const required = rules.in || NONE;
  const all = rules.mode === 'all';
  for (const rule of required) if (test(rule, facts) !== all) return !all;
  return all || !required.length;
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
