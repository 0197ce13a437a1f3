// What a page asks of those who write markup or fetch scripts: a Trusted Types policy, of the name `svc`.

/** @import { TrustedPolicy } from './types' */

/** @type {TrustedPolicy | undefined} */
let policy;

/** Made when it is first needed, and once: a page may allow the name for one policy only. */
export const policyOf = () =>
  (policy ||= window.trustedTypes?.createPolicy('svc', {
    createHTML: (text) => text,
    createScriptURL: (text) => text,
  }));

/** @param {string} html */
export const trustedHtml = (html) => policyOf()?.createHTML(html) ?? html;
