// The part for URL rules that ask for more than a place: expressions over the whole address, and queries.

import { some } from './lists.js';
import { parts } from './parts.js';
import { being, compile } from './patterns.js';

/** Texts longer than this are searched by no customer's expression: its cost cannot be bounded. */
const LONGEST_SEARCHED = 8192;

/**
 * Whether a shop's expression matches a text.
 * @param {string} source
 * @param {string} [flags]
 */
export const searching = (source, flags = '') => {
  const pattern = compile(source, flags);
  return (/** @type {string} */ text) => text.length <= LONGEST_SEARCHED && pattern.test(text);
};

/** On the full address, or on the address without its origin. */
parts._finding = (source) => {
  const finds = searching(source);
  return ({ href, origin }) => finds(href) || finds(href.slice(origin.length));
};

/** Whether the first values are as wanted; a parameter that is absent counts as empty. */
parts._asks = (query, search) => {
  const asked = new URLSearchParams(search);
  return !some(query, ([name, source]) => !being(source)(asked.get(name) || ''));
};
