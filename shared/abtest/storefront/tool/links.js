// Carries a preview to the other hosts of the shop, which do not share its cookie: by the links that lead there.

import { domain } from '../src/visit.js';

const NAME = 'svc_preview';

/**
 * The address with the token, if it leads to another host of the shop that needs it.
 * @param {unknown} address
 * @param {string[]} hosts
 * @param {string} token
 */
const carried = (address, hosts, token) => {
  if (typeof address !== 'string') return undefined; // of an SVG link
  const url = new URL(address, document.baseURI);
  const { host, hostname, protocol } = url;
  const isShared = domain && (hostname === domain || hostname.endsWith(`.${domain}`));
  if (host === location.host || isShared || protocol !== location.protocol || !hosts.includes(host)) return undefined;
  url.searchParams.set(NAME, token);
  return url.href;
};

/**
 * @param {HTMLFormElement} form its fields may have the names of its properties
 * @param {string[]} hosts
 * @param {string} token
 */
const carryInForm = (form, hosts, token) => {
  const action = carried(form.getAttribute('action') || '', hosts, token);
  if (!action) return;
  if (/^post$/i.test(form.getAttribute('method') || '')) {
    form.setAttribute('action', action);
    return;
  }
  form.querySelector(`input[name=${NAME}]`)?.remove();
  form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: NAME, value: token }));
};

/**
 * @param {string[]} hosts
 * @param {string} token
 */
export const carryOver = (hosts, token) => {
  const follow = (/** @type {Event} */ event) => {
    for (const node of /** @type {any[]} */ (event.composedPath())) {
      const href = node.localName === 'a' && carried(node.href, hosts, token);
      if (href) node.href = href;
      if (event.type === 'submit' && node.localName === 'form') carryInForm(node, hosts, token);
    }
  };
  const guarded = (/** @type {Event} */ event) => {
    try {
      follow(event);
    } catch {} // an address that is none
  };
  for (const type of ['pointerdown', 'click', 'auxclick', 'submit']) addEventListener(type, guarded, true);
};
