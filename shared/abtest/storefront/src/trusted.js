// Part for pages with Trusted Types: the policy `svc` for markup and script URLs.

import { parts } from './parts.js';

/** @import { TrustedPolicy } from './types' */

/** @type {TrustedPolicy | undefined} */
let policy;

/** Create the policy on first use, and only once: a page may allow one policy of this name. */
export const policyOf = () =>
  (policy ||= window.trustedTypes?.createPolicy('svc', {
    createHTML: (text) => text,
    createScriptURL: (text) => text,
  }));

parts._trust = policyOf;

/** @param {string} html */
export const trustedHtml = (html) => policyOf()?.createHTML(html) ?? html;
