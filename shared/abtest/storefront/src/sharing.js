// Part for shops whose subdomains share a visitor: one cookie for all hosts of a domain, and no host cookie next to it.

import { guard } from './guard.js';
import { startTimer } from './natives.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { cookies, domain, readCookie, save, setDomain, writeCookie } from './visit.js';

/** The value written last. */
let written = '';
let isChecked = false;

/** The domain comes from the config, never from a guess: the parent domain may be a platform's. */
parts._share = () => {
  for (const each of config.runtime.domains || []) {
    if (`.${location.hostname}`.endsWith(`.${each}`)) return setDomain(each);
  }
  return undefined;
};

/** Read the cookie. If the host also has one of its own, delete that first. */
parts._readShared = () => {
  const own = readCookie();
  const shared = domain;
  if (!shared || cookies.split('svc_v=').length < 3) return own;
  setDomain('');
  writeCookie('', 0);
  setDomain(shared);
  return readCookie();
};

/** Browsers silently reject a cookie for a public suffix. Then each host keeps its own cookie. */
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
