// Matching addresses against rules that the server compiled. No pattern is parsed in the browser.

import { select } from './lists.js';

/** @import { Address, PageRule, Pages, UrlRule } from './types' */

/**
 * A whole part, without regard to case. Anchored here as well, so a source may come with or without anchors.
 * @param {string} source
 * @param {string} part
 */
const isWhole = (source, part) => new RegExp(`^(?:${source})$`, 'i').test(part);

/**
 * @param {string} source
 * @param {Address} address
 */
const matchesText = (source, address) => {
  const pattern = new RegExp(source);
  return pattern.test(address.href) || pattern.test(address.href.slice(address.origin.length));
};

/**
 * @param {[string, string][]} pairs
 * @param {string} search
 */
const matchesQuery = (pairs, search) => {
  const query = new URLSearchParams(search);
  for (const [name, source] of pairs) if (!isWhole(source, query.get(name) || '')) return false;
  return true;
};

/**
 * @param {UrlRule} rule
 * @param {Address} address
 */
export const matchesUrl = (rule, address) => {
  if (rule.re != null) return matchesText(rule.re, address);
  return (
    (rule.host == null || isWhole(rule.host, address.host)) &&
    (rule.path == null || isWhole(rule.path, address.pathname)) &&
    (!rule.query || matchesQuery(rule.query, address.search)) &&
    (rule.hash == null || isWhole(rule.hash, address.hash))
  );
};

/**
 * @param {UrlRule[] | undefined} rules
 * @param {Address} address
 */
const anyUrl = (rules, address) => {
  for (const rule of rules || []) if (matchesUrl(rule, address)) return true;
  return false;
};

/**
 * Any exclude that matches says no; then any include; without includes the rule holds everywhere.
 * @param {PageRule} rule
 * @param {Address} address
 */
export const matchesPage = (rule, address) =>
  !anyUrl(rule.exclude, address) && (!rule.include?.length || anyUrl(rule.include, address));

/**
 * How many of the rules hold.
 * @param {PageRule[]} rules
 * @param {Address} address
 */
const countPages = (rules, address) => select(rules, (rule) => matchesPage(rule, address)).length;

/**
 * Any `out` that holds says no; then any (or all) of `in`; an empty `in` means everywhere.
 * @param {Pages | undefined} pages
 * @param {Address} address
 */
export const matchesPages = (pages, address) => {
  if (!pages) return true;
  if (countPages(pages.out || [], address)) return false;
  const wanted = pages.in || [];
  return countPages(wanted, address) >= (pages.mode === 'all' ? wanted.length : Math.min(1, wanted.length));
};
