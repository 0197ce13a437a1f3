// Matches addresses against rules compiled by the server; the browser does not parse their patterns.

import { parts } from './parts.js';
import { isLike } from './patterns.js';

/** @import { Address, UrlRule } from './types' */

/**
 * @param {UrlRule} rule
 * @param {Address} address
 */
export const matchesUrl = ({ re, host, path, query, hash }, address) =>
  re == null
    ? isLike(path, address.pathname) &&
      isLike(host, address.host) &&
      isLike(hash, address.hash) &&
      (!query || parts._asks(query, address.search))
    : parts._finds(re, address);
