// Environments with a snippet of their own: on their hosts, this snippet only fetches that one.

import { config } from './page.js';
import { parts } from './parts.js';
import { policyOf, trustedHtml } from './trusted.js';

const keyHere = () => {
  const { runtime } = config;
  for (const { key, domains } of runtime.environments || []) {
    for (const domain of domains) {
      if ((domain === location.hostname || domain === location.host) && key !== runtime.environment) return key;
    }
  }
  return undefined;
};

/**
 * As our own tag is: one that the parser waits for where it waited for ours.
 * @param {HTMLScriptElement} own
 * @param {string} src
 */
const fetchInstead = (own, src) => {
  const script = document.createElement('script');
  for (const { name, value } of own.attributes) if (name !== 'src') script.setAttribute(name, value);
  script.src = policyOf()?.createScriptURL(src) ?? src;
  if (own.nonce) script.setAttribute('nonce', own.nonce); // which the attribute does not tell
  script.onload = own.onload;
  if (own.async || own.defer || document.readyState !== 'loading') {
    own.after(script);
    return;
  }
  document.write(trustedHtml(script.outerHTML));
};

/** A snippet that was asked for by name is that one, whatever it lists: there is no second hop, and no loop. */
parts._environments = () => {
  const key = keyHere();
  const own = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  if (!key || !own?.src || /[?&]env=/.test(own.src)) return false;
  const [address] = own.src.split('#');
  fetchInstead(own, `${address}${/\?/.test(address) ? '&' : '?'}env=${key}`);
  return true;
};
