// Part that decides feature flags.

import { collect } from './decide.js';
import { bucketOf } from './hash.js';
import { record } from './lists.js';
import { decided } from './decisions.js';
import { matchesAudience, matchesPages } from './pages.js';
import { parts } from './parts.js';

/** @import { Facts, Flag } from './types' */

/**
 * @param {Flag} flag
 * @param {Facts} facts
 */
const decideFlag = (flag, facts) => {
  let reason = 'on';
  if (flag.paused) reason = 'paused';
  else if (flag.dark && parts._isDark(flag.dark, facts.now)) reason = 'dark';
  else if (!matchesAudience(flag.audience, facts) || !matchesPages(flag.pages, facts)) reason = 'targeting';
  else if (!facts.unit || bucketOf(facts.unit, flag.state) >= flag.below) reason = 'rollout';
  return { value: reason === 'on' ? flag.on : flag.off, reason };
};

parts._flags = (list, facts) => {
  const flags = record();
  collect(list, (flag) => {
    flags[flag.key] = decideFlag(flag, facts);
  });
  return flags;
};

parts._flagOf = (key, fallback) => {
  const flag = decided?.flags[key];
  return flag ? flag.value : fallback;
};
