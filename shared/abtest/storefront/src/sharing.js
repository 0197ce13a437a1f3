// The part for shops whose sub-domains share a visitor: one cookie for all hosts of a domain, and none beside it.

import { guard } from './guard.js';
import { startTimer } from './natives.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { cookies, domain, readCookie, save, setDomain, writeCookie } from './visit.js';

/** What was written last. */
let written = '';
let isChecked = false;

/** A domain is told, never guessed: what looks like a shop's may be a platform's, and others have shops there. */
parts._share = () => {
  for (const each of config.runtime.domains || []) {
    if (`.${location.hostname}`.endsWith(`.${each}`)) return setDomain(each);
  }
  return undefined;
};

/** A host that had a cookie of its own gives it up for the one of the domain. */
parts._readShared = () => {
  const found = readCookie();
  const shared = domain;
  if (!shared || cookies.split('svc_v=').length < 3) return found;
  setDomain('');
  writeCookie('', 0);
  setDomain(shared);
  return readCookie();
};

/** Browsers keep no cookie for a domain that is a public suffix, and do not say so: then each host keeps its own. */
const check = guard('cookie', () => {
  parts._readShared();
  if (!written || cookies.includes(written)) return;
  setDomain('');
  save();
});

parts._written = (value) => {
  written = value;
  if (domain && !isChecked) startTimer(check, 0);
  isChecked = true;
};
