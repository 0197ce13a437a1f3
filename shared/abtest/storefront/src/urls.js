// Matches addresses against rules compiled by the server; the browser does not parse their patterns.

import { parts } from './parts.js';
import { being, once } from './patterns.js';

/** @import { Address, UrlRule } from './types' */

const testOf = /* @__PURE__ */ once((/** @type {UrlRule} */ { re, host, path, query, hash }) => {
  const isHost = being(host);
  const isPath = being(path);
  const isHash = being(hash);
  return re == null
    ? (/** @type {Address} */ address) =>
        isPath(address.pathname) &&
        isHost(address.host) &&
        isHash(address.hash) &&
        (!query || parts._asks(query, address.search))
    : parts._finding(re);
});

/**
 * @param {UrlRule} rule
 * @param {Address} address
 */
export const matchesUrl = (rule, address) => testOf(rule)(address);
