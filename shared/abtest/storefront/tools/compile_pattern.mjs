// Compiles a URL pattern to the UrlRule the SDK matches, as the server does in Python. No part of the bundle: it serves
// the conformance tool, tests, and whoever writes another SDK.

import '../src/addresses.js'; // expressions and queries
import { matchesUrl } from '../src/urls.js';

/** @import { UrlRule } from '../src/types' */

/** Host of relative patterns. A pattern that keeps it names no host, and compares none. */
const ANY_HOST = 'any-host.b7e2f1d4.invalid';
const PATTERN_BASE = `https://${ANY_HOST}`;
const ADDRESS_BASE = 'https://_';

const WILDCARD = '[^]*';
/** From this many literals between wildcards on, plain wildcards would backtrack for too long. */
const MANY_LITERALS = 2;

/** @param {string} text */
const asLiteral = (text) => text.replace(/[\\^$.+?()[\]{}|*]/g, '\\$&');

/** @param {string} text */
const decode = (text) => new URLSearchParams(`x=${text}`).get('x') || '';

/**
 * A source for literals with any run of characters between them. The leftmost place of a middle literal is always
 * good enough, so with several each is found for good: a lookahead captures, and the capture is consumed whole.
 * @param {string[]} literals
 */
const join = (literals) => {
  const [first, ...rest] = literals.map(asLiteral);
  const last = rest.pop();
  if (last === undefined) return first;
  const middle = rest.filter(Boolean);
  if (middle.length < MANY_LITERALS) return [first, ...middle, last].join(WILDCARD);
  const steps = middle.map((literal, i) => `(?=([^]*?${literal}))\\${i + 1}(?:)`);
  return first + steps.join('') + WILDCARD + last;
};

/**
 * Stars become any run of characters, line breaks included; the rest stands for itself.
 * @param {string} text
 */
const toSource = (text) => join(text.split('*'));

/** @param {string} pathname */
const toPathSource = (pathname) => `\\/?${toSource(pathname.replace(/^\//, '').replace(/\/$/, ''))}\\/?`;

/**
 * Decoded between the stars, so that a star that was percent-encoded stays a literal one.
 * @param {string} value
 */
const toValueSource = (value) => join(value.split('*').map(decode));

/**
 * @param {string} search
 * @returns {[string, string][]}
 */
const toQuery = (search) => {
  const pairs = search.slice(1).split('&').filter(Boolean);
  return pairs.map((pair) => {
    const [, name, value = ''] = /** @type {RegExpExecArray} */ (/^([^=]*)=?([\s\S]*)$/.exec(pair));
    return [decode(name), toValueSource(value)];
  });
};

/**
 * Without a scheme, a first part that has a dot in it is a host.
 * @param {string} pattern
 */
const withScheme = (pattern) => (/^[^:/?]*\./.test(pattern) ? `https://${pattern}` : pattern);

/**
 * @param {string} pattern
 * @returns {UrlRule}
 * @throws {TypeError} where it does not parse as an address
 */
export const compileSimple = (pattern) => {
  const url = new URL(withScheme(pattern), PATTERN_BASE);
  /** @type {UrlRule} */
  const rule = { path: toPathSource(url.pathname) };
  if (url.host !== ANY_HOST && url.host !== '*') rule.host = toSource(url.host);
  const query = toQuery(url.search);
  if (query.length) rule.query = query;
  if (url.hash) rule.hash = toSource(url.hash);
  return rule;
};

/**
 * @param {'simple' | 'regex'} type
 * @param {string} pattern
 * @returns {UrlRule | undefined} nothing where the pattern does not compile
 */
export const compilePattern = (type, pattern) => {
  try {
    if (type === 'simple') return compileSimple(pattern);
    new RegExp(pattern);
    return { re: pattern };
  } catch {
    return undefined;
  }
};

/** @param {string} url */
const parseAddress = (url) => {
  try {
    return new URL(url, ADDRESS_BASE); // not URL.canParse: Node 20's now and then refuses hosts beyond ASCII
  } catch {
    return undefined;
  }
};

/**
 * @param {'simple' | 'regex'} type
 * @param {string} url absolute, or relative to any host
 * @param {string} pattern
 */
export const matchesPattern = (type, url, pattern) => {
  const rule = compilePattern(type, pattern);
  const address = parseAddress(url);
  return !!rule && !!address && matchesUrl(rule, address);
};
