// Part for environments with their own snippet: on their hosts, this snippet only loads that one.

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
 * Load the script with the attributes of our own tag. The parser waits for it if it waited for our tag.
 * @param {HTMLScriptElement} own
 * @param {string} src
 */
const fetchInstead = (own, src) => {
  const script = document.createElement('script');
  for (const { name, value } of own.attributes) if (name !== 'src') script.setAttribute(name, value);
  script.src = policyOf()?.createScriptURL(src) ?? src;
  if (own.nonce) script.setAttribute('nonce', own.nonce); // browsers hide the nonce in the attribute
  script.onload = own.onload;
  if (own.async || own.defer || document.readyState !== 'loading') {
    own.after(script);
    return;
  }
  document.write(trustedHtml(script.outerHTML));
};

/** A snippet loaded with `env=` never loads another one, so there is no loop. */
parts._environments = () => {
  const key = keyHere();
  const own = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  if (!key || !own?.src || /[?&]env=/.test(own.src)) return false;
  const [address] = own.src.split('#');
  fetchInstead(own, `${address}${/\?/.test(address) ? '&' : '?'}env=${key}`);
  return true;
};
