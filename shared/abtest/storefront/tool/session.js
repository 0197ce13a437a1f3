// The session of a preview or a QA visit: one cookie of the shop's own, that ends with the browser, or here.

import { domain } from '../src/visit.js';

/** @typedef {'svc_preview' | 'svc_qa'} Name */

/** @param {string} within */
const attributes = (within) =>
  `; path=/; samesite=lax${within && `; domain=${within}`}${location.protocol === 'https:' ? '; secure' : ''}`;

const VISITS = /** @type {const} */ (['svc_preview', 'svc_qa']);

/**
 * Address of this page without our parameters.
 * @param {readonly string[]} names
 */
const bareAddress = (names) => {
  const url = new URL(location.href);
  for (const name of names) url.searchParams.delete(name);
  return url.search === location.search ? location.href : url.href;
};

/** Take our parameters out of the address: it would be copied with them, and events have it. */
export const strip = () => {
  const address = bareAddress(VISITS);
  if (address !== location.href) history.replaceState(history.state, '', address);
};

/**
 * Keep the visit for the pages that follow, on all hosts that share the visitor. The parameter leaves the address, as
 * it would be copied with it; where there are no cookies, it stays.
 * @param {Name} name
 * @param {string} value
 */
export const remember = (name, value) => {
  for (const other of VISITS) if (other !== name) forget(other);
  document.cookie = `${name}=${value}${attributes(domain)}`;
  if (!document.cookie.includes(`${name}=${value}`)) return;
  strip();
};

/** @param {Name} name */
export const forget = (name) => {
  for (const within of new Set([domain, ''])) document.cookie = `${name}=${attributes(within)}; max-age=0`;
};

/** End every visit of this kind: the page loads again, as shoppers see it. */
export const endSession = () => {
  for (const name of VISITS) forget(name);
  const address = bareAddress([...VISITS, 'svc_force', 'svc_experiment_id', 'svc_variation_id']);
  if (address === location.href) location.reload();
  else location.replace(address);
};
