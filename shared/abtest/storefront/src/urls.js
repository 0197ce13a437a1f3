// Matching addresses against rules that the server compiled. No pattern is parsed in the browser.

import { isWhole, searches } from './patterns.js';

/** @import { Address, UrlRule } from './types' */

/**
 * @param {string} source
 * @param {Address} address
 */
const matchesText = (source, { href, origin }) =>
  searches(source, href) || searches(source, href.slice(origin.length));

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

