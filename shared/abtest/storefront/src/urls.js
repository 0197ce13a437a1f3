// Matching addresses against rules that the server compiled. No pattern is parsed in the browser.

import { some } from './lists.js';
import { being, once, searching } from './patterns.js';

/** @import { Address, UrlRule } from './types' */

const testOf = /* @__PURE__ */ once((/** @type {UrlRule} */ { re, host, path, query, hash }) => {
  if (re != null) {
    const finds = searching(re);
    return (/** @type {Address} */ { href, origin }) => finds(href) || finds(href.slice(origin.length));
  }
  /** Whether the first values are as wanted; a parameter that is absent counts as empty. @param {string} search */
  const asks = (search) => {
    const asked = new URLSearchParams(search);
    return !some(query || [], ([name, source]) => !being(source)(asked.get(name) || ''));
  };
  const isHost = being(host);
  const isPath = being(path);
  const isHash = being(hash);
  return (/** @type {Address} */ address) =>
    isPath(address.pathname) && isHost(address.host) && isHash(address.hash) && (!query || asks(address.search));
});

/**
 * @param {UrlRule} rule
 * @param {Address} address
 */
export const matchesUrl = (rule, address) => testOf(rule)(address);
