// What selectors match on other pages of the shop: counted in the HTML that its server sends, in which nothing runs and
// nothing loads. Only pages of this page's own origin are requested, and those that are kept only once.

import { nativeFetch } from '../src/natives.js';
import { trustedHtml } from '../src/trusted.js';
import { matchesOf } from './engine.js';
import { absolute, cleanAll, isOfThisOrigin } from './shop_markup.js';

/** @typedef {{ outcome: string, to?: string, status?: number, page?: Document }} Reading */

const PATIENCE_MS = 8000;
const MAX_BYTES = 4e6;
/** Pages that are kept; each may take some megabytes. */
const MAX_KEPT = 5;
const PAGE = /^(text\/html|application\/xhtml\+xml)\b/i;
const CHARSET = /charset=["']?([\w-]+)/i;
const AT_ONCE = /^\s*[0-5]\s*[;,]\s*url\s*=\s*["']?([^"']+)/i;

/** @type {Map<string, Promise<Reading>>} */
const kept = new Map();

/** The part of an address that two pages differ by; queries are often added on the way. @param {string} url */
const placeOf = (url) => {
  const { origin, pathname } = new URL(url);
  return (origin + pathname).replace(/\/$/, '').toLowerCase();
};

/** @param {string} url of a page that leads to another one @param {string} to @returns {Reading | null} */
const ledFrom = (url, to) => (placeOf(to) === placeOf(url) ? null : { outcome: 'elsewhere', to });

/** @param {string} type a header's value */
const decoderOf = (type) => {
  try {
    return new TextDecoder(CHARSET.exec(type)?.[1]);
  } catch {
    return new TextDecoder();
  }
};

/**
 * Return the text of a body, or null for one that is too long.
 * @param {Response} answer
 * @param {TextDecoder} decoder
 */
const textOf = async ({ body }, decoder) => {
  const reader = body?.getReader();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) || { done: true, value: undefined };
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BYTES) {
      reader?.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
};

/**
 * A document as browsers with scripts have it, where `noscript` holds text and no elements. A parser without scripts
 * reads `noframes` so.
 * @param {string} html
 */
const parsed = (html) =>
  new DOMParser().parseFromString(trustedHtml(html.replace(/(<\/?)noscript/gi, '$1noframes')), 'text/html');

/** @param {string} url @param {RequestRedirect} redirect */
const requested = (url, redirect) =>
  nativeFetch(url, {
    // A redirect to another origin ends here, before that origin is reached.
    mode: 'same-origin',
    credentials: 'same-origin',
    headers: { accept: 'text/html' },
    redirect,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

/** Why an answer is not the page. @param {string} url @param {Response} answer @param {string} type */
const refusalOf = (url, { url: last, ok, status }, type) =>
  ledFrom(url, absolute(last)) || (!ok && { outcome: 'status', status }) || (!PAGE.test(type) && { outcome: 'other' });

/** Where a document leads on at once. @param {string} url @param {Document} page */
const refreshOf = (url, page) => {
  const refresh = page.querySelector('meta[http-equiv="refresh" i]')?.getAttribute('content') || '';
  const to = absolute(AT_ONCE.exec(refresh)?.[1] || '', url);
  return to && ledFrom(url, to);
};

/** @param {string} url @param {Response} answer @returns {Promise<Reading>} */
const readingOf = async (url, answer) => {
  const type = answer.headers.get('content-type') || '';
  const refusal = refusalOf(url, answer, type);
  if (refusal) {
    answer.body?.cancel();
    return refusal;
  }
  const html = await textOf(answer, decoderOf(type));
  if (html == null) return { outcome: 'large' };
  const page = parsed(html);
  const led = refreshOf(url, page);
  if (led) return led;
  cleanAll(page);
  return { outcome: 'counted', page };
};

/** @param {string} url @returns {Promise<Reading>} */
const read = async (url) => {
  /** @type {{ type: string } | undefined} */
  let answer;
  try {
    return await readingOf(url, (answer = await requested(url, 'follow')));
  } catch (error) {
    if (/** @type {any} */ (error)?.name === 'TimeoutError') return { outcome: 'late' };
    // The browser reports alike what a policy of this page forbids and what leads to another origin.
    answer ||= await requested(url, 'manual').catch(() => undefined);
    return { outcome: answer?.type === 'opaqueredirect' ? 'elsewhere' : 'unread' };
  }
};

/** @param {string} url @param {boolean} isFresh read again what is kept */
const pageAt = (url, isFresh) => {
  const reading = (!isFresh && kept.get(url)) || read(url);
  kept.delete(url);
  kept.set(url, reading);
  if (kept.size > MAX_KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  return reading;
};

/**
 * Return what these selectors match on another page, in their order, or why they could not be counted.
 * @param {string} url
 * @param {string[]} selectors
 * @param {boolean} isFresh
 */
export const countOn = async (url, selectors, isFresh) => {
  if (!isOfThisOrigin(url)) return { outcome: 'unread', matches: [] };
  const { page, ...reading } = await pageAt(url, isFresh);
  return { ...reading, matches: page ? selectors.map((selector) => matchesOf(selector, page)) : [] };
};
