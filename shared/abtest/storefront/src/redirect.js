// Part for redirect treatments: computes the destination and leaves without showing the current page.

import { addCss } from './css.js';
import { expose } from './events.js';
import { select } from './lists.js';
import { startTimer } from './natives.js';
import { parts } from './parts.js';
import { flush } from './transport.js';
import { fields, HOPS, numberIn, readCookie, save, SEEN } from './visit.js';

/** @import { Decision } from './types' */

/** The page is shown again if the navigation has not replaced it by then. */
const GIVE_UP_MS = 3000;
const MAX_HOPS = 3;
const HOP_SECONDS = 10;

/**
 * @param {string} target
 * @param {string} here
 */
const parse = (target, here) => {
  try {
    return new URL(target, here);
  } catch {
    return undefined;
  }
};

/**
 * Destination with the visitor's own query and hash; those in the destination itself take precedence.
 * Undefined if the destination is not a web address, or the visitor is already there.
 * @param {string} target
 * @param {string} here
 */
export const destinationOf = (target, here) => {
  const from = new URL(here);
  const to = parse(target, here);
  if (!to || !/^https?:$/.test(to.protocol)) return undefined;
  const own = new URLSearchParams(to.search);
  let arrived =
    to.origin + to.pathname === from.origin + from.pathname && (!to.hash || to.hash === from.hash);
  for (const [name, value] of own) if (from.searchParams.get(name) !== value) arrived = false;
  if (arrived) return undefined;
  for (const [name, value] of from.searchParams) if (!own.has(name)) to.searchParams.append(name, value);
  if (!to.hash) to.hash = from.hash;
  return to.href;
};

/** Navigate to the destination; the page is hidden meanwhile. @param {string} destination */
const go = (destination) => {
  const reveal = addCss('html{opacity:0!important}');
  startTimer(reveal, GIVE_UP_MS);
  addEventListener('pageshow', (event) => {
    if (event.persisted) reveal();
  });
  parts._leaveFor?.(destination) || location.replace(destination);
};

/**
 * Return whether the decision redirects. Its content belongs to the page that it leaves; at the destination the
 * decision only attributes goals.
 * @param {Decision} decision
 */
const redirects = ({ experiment, variation }) =>
  experiment.type === 'redirect' && !variation.control && !!variation.redirect_url;

/**
 * Destination of the decision from here, if any.
 * @param {Decision} decision
 * @param {string} href
 */
const awayFrom = (decision, href) =>
  redirects(decision) ? destinationOf(decision.variation.redirect_url || '', href) : undefined;

/**
 * Count a redirect and return whether it may happen: at most three in ten seconds, and none if the cookie cannot be
 * written, because then nothing would end a loop.
 */
export const hop = () => {
  const [count, since = ''] = fields[HOPS].split('-');
  const isGoing = numberIn(SEEN) - (parseInt(since, 36) || 0) <= HOP_SECONDS;
  const next = isGoing ? Number(count) + 1 : 1;
  if (next > MAX_HOPS) return false;
  const hops = `${next}-${isGoing ? since : fields[SEEN]}`;
  fields[HOPS] = hops;
  save();
  return readCookie()[HOPS] === hops;
};

/** Count the exposure and leave if a decision redirects; otherwise return the decisions with content for this page. */
parts._redirect = (active, href) => {
  for (const decision of active) {
    const target = awayFrom(decision, href);
    if (!target || !hop()) continue;
    expose(decision);
    save();
    flush();
    go(target);
    return undefined;
  }
  return select(active, (decision) => !redirects(decision) || awayFrom(decision, href));
};
