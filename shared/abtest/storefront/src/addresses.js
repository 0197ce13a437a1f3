// Part for URL rules beyond host, path and hash: regular expressions over the whole address, and query parameters.

import { some } from './lists.js';
import { parts } from './parts.js';
import { compile, isLike, once } from './patterns.js';

/** Longer texts never match a customer's expression, because the cost of a search cannot be bounded. */
const LONGEST_SEARCHED = 8192;

/**
 * Compile a shop's expression into a test on texts.
 * @param {string} source
 * @param {string} [flags]
 */
export const searching = (source, flags = '') => {
  const pattern = compile(source, flags);
  return (/** @type {string} */ text) => text.length <= LONGEST_SEARCHED && pattern.test(text);
};

const findingOf = once(searching);

/** Match the full address, or the address without its origin. */
parts._finds = (source, { href, origin }) => {
  const finds = findingOf(source);
  return finds(href) || finds(href.slice(origin.length));
};

/** Compare the first value of each parameter; an absent parameter counts as empty. */
parts._asks = (query, search) => {
  const given = new URLSearchParams(search);
  return !some(query, ([name, source]) => !isLike(source, given.get(name) || ''));
};
