// Elements as the shop has them. Previews change addresses in pages, and treatments mark what they insert: neither is
// saved.

import { MARK } from '../src/actions.js';

const PROXIED = /^https?:\/\/[^/]+\/api\/preview(?:\?pst=[^&]*&url=([^#]*)|\/m\/[^/]*\/(https?)\/(.*?))(#.*)?$/;

/** The shop's address of this page, where a preview shows it. */
const shown = () => /** @type {any} */ (window).__svcPreview?.url();

/** An address of the proxy as the page has it; any other as it is. @param {string} value @param {string} page */
const original = (value, page) => {
  const found = PROXIED.exec(value);
  if (!found) return value;
  const [, encoded, scheme, rest, hash = ''] = found;
  const { origin } = new URL(page);
  const address = (encoded == null ? `${scheme}://${rest}` : decodeURIComponent(encoded)) + hash;
  return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
};

/** The shop's address of this page. */
const here = () => shown() ?? location.href;

/**
 * Return the shop's address that a link or a response has; "" for none.
 * @param {string} value
 * @param {string} [base]
 */
export const absolute = (value, base = document.baseURI) => {
  try {
    return value && new URL(original(value, here()), base).href;
  } catch {
    return '';
  }
};

/** Return whether an address is one of this shop's origin. @param {string} url */
export const isOfThisOrigin = (url) => url.startsWith(`${new URL(here()).origin}/`);

/** Forms by GET have their address in fields. @param {Element} element */
const cleanForm = (element) => {
  const [token, address] = element.children;
  if (element.localName !== 'form' || token?.getAttribute('name') !== 'pst' || !address) return;
  const action = encodeURIComponent(address.getAttribute('value') || '');
  element.setAttribute('action', `${location.origin}/api/preview?pst=&url=${action}`);
  token.remove();
  address.remove();
};

/** @param {Element} element @param {string | undefined} page */
const clean = (element, page) => {
  element.removeAttribute(MARK);
  if (!page) return;
  cleanForm(element);
  // The bridge of a preview leads what `setAttribute` is given through the proxy again; values of attributes it leaves.
  for (const attribute of element.attributes) {
    const plain = original(attribute.value, page);
    if (plain !== attribute.value) attribute.value = plain;
  }
};

/** Give a document that came through the proxy the shop's addresses. @param {Document} page */
export const cleanAll = (page) => {
  if (shown()) for (const each of page.querySelectorAll('*')) clean(each, here());
};

/**
 * A copy that loads and runs nothing.
 * @param {Element} element
 * @param {boolean} isWhole with all that is in it
 */
export const asOfShop = (element, isWhole) => {
  const copy = /** @type {Element} */ (document.implementation.createHTMLDocument('').importNode(element, isWhole));
  const page = shown();
  for (const each of [copy, ...copy.querySelectorAll('*')]) clean(each, page);
  return copy;
};
