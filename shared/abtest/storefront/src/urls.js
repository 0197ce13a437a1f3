// Matching addresses against rules that the server compiled. No pattern is parsed in the browser.

import { some } from './lists.js';
import { being, once, searching } from './patterns.js';

/** @import { Address, UrlRule } from './types' */

/**
 * Whether a query has the wanted first values; a parameter that is absent counts as empty.
 * @param {[string, string][]} pairs
 */
const asking = (pairs) => {
  /** @type {((query: URLSearchParams) => boolean)[]} */
  const misses = [];
  for (const [name, source] of pairs) {
    const is = being(source);
    misses[misses.length] = (query) => !is(query.get(name) || '');
  }
  return (/** @type {string} */ search) => {
    const query = new URLSearchParams(search);
    return !some(misses, (miss) => miss(query));
  };
};

const testOf = once((/** @type {UrlRule} */ { re, host, path, query, hash }) => {
  if (re != null) {
    const finds = searching(re);
    return (/** @type {Address} */ { href, origin }) => finds(href) || finds(href.slice(origin.length));
  }
  const isHost = being(host);
  const isPath = being(path);
  const isHash = being(hash);
  const asks = query && asking(query);
  return (/** @type {Address} */ address) =>
    isPath(address.pathname) && isHost(address.host) && isHash(address.hash) && (!asks || asks(address.search));
});

/**
 * @param {UrlRule} rule
 * @param {Address} address
 */
export const matchesUrl = (rule, address) => testOf(rule)(address);
