// Redirect treatments: where to, and getting there without showing the page that is left.

import { addCss } from './css.js';
import { startTimer } from './natives.js';

/** A navigation that has not begun to replace the page by then will not come. */
const GIVE_UP_MS = 3000;

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
export const go = (destination) => {
  const reveal = addCss('html{opacity:0!important}');
  startTimer(reveal, GIVE_UP_MS);
  addEventListener('pageshow', (event) => {
    if (event.persisted) reveal();
  });
  location.replace(destination);
};
