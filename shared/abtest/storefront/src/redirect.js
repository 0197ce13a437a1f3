// Redirect treatments: where to, and getting there without showing the page that is left.

import { addCss } from './css.js';
import { expose } from './events.js';
import { select } from './lists.js';
import { startTimer } from './natives.js';
import { parts } from './parts.js';
import { flush } from './transport.js';
import { fields, HOPS, numberIn, readCookie, save, SEEN } from './visit.js';

/** @import { Decision } from './types' */

/** A navigation that has not begun to replace the page by then will not come. */
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
 * The destination with the visitor's own query and hash; what the destination says itself wins.
 * Undefined where there is nowhere to go: not a web address, or the visitor is there already.
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

/** Leaves for the destination; the page is hidden only while it goes. @param {string} destination */
const go = (destination) => {
  const reveal = addCss('html{opacity:0!important}');
  startTimer(reveal, GIVE_UP_MS);
  addEventListener('pageshow', (event) => {
    if (event.persisted) reveal();
  });
  location.replace(destination);
};

/**
 * A redirect treatment's content belongs to the page it leads away from: where it leads, it only attributes.
 * @param {Decision} decision
 */
const redirects = ({ experiment, variation }) =>
  experiment.type === 'redirect' && !variation.control && !!variation.redirect_url;

/**
 * Where the decision leads from here, if anywhere.
 * @param {Decision} decision
 * @param {string} href
 */
const awayFrom = (decision, href) =>
  redirects(decision) ? destinationOf(decision.variation.redirect_url || '', href) : undefined;

/**
 * Counts a redirect and says whether it may happen. No more than three in ten seconds, and none at all where the count
 * cannot be kept: a loop would have no end there.
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

/** Counts the exposure and leaves, where a redirect wants to; else the decisions whose content belongs here. */
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
