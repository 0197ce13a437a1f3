// Events that could not be delivered, kept in the browser's storage for the next try, page or tab to send.
// Each batch lies under a name of its own and is never changed: whoever has sent it removes it, so that two tabs can
// write at any time without harm. That two do not send the same one is what the lease is for; should it fail, the
// server knows the events again by their ids.

import { guard } from './guard.js';
import { encode } from './hash.js';
import { select } from './lists.js';
import { keysOf, now, random, startTimer } from './natives.js';

const LEASE = 'svc_lock';
const MAX_EVENTS = 500;
/** Characters: the page's own storage is the page's. */
const MAX_CHARS = 400_000;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;
/** A tab that was closed meanwhile has given its lease back; one that broke down holds others up so long. */
const LEASE_MS = 10_000;
/** Long enough for another tab's lease to be seen here. */
const SETTLE_MS = 50;

let isOurs = false;

/** Reading it throws where the browser keeps nothing for this page. */
export const storage = () => window.localStorage;

const code = () => encode(random()).slice(2);

/** Of the form `svc_q.<time>.<count of events>.<code>`, or anything that another wrote. @param {string} [prefix] */
export const ownNames = (prefix = 'svc_q.') => select(keysOf(storage()), (name) => name.startsWith(prefix));

/**
 * Keeps a batch, or says that it cannot.
 * @param {string[]} texts
 */
export const store = (texts) => {
  let content = '';
  let room = MAX_EVENTS - texts.length;
  for (const text of texts) content += (content && '\n') + text;
  let chars = MAX_CHARS - content.length;
  try {
    for (const name of ownNames()) {
      room -= Number(name.split('.')[2]) || 0;
      chars -= read(name).length;
    }
    if (room < 0 || chars < 0) return false;
    const name = `svc_q.${encode(now())}.${texts.length}.${code()}`;
    storage().setItem(name, content);
    return read(name) === content; // some say nothing and keep nothing
  } catch {
    return false;
  }
};

/** The name of the oldest batch that can be read, if any; what is too old, or none of ours, goes. */
export const oldest = () => {
  let first = '';
  try {
    for (const name of ownNames()) {
      const age = now() - parseInt(name.split('.')[1], 36);
      if (!(Math.abs(age) < MAX_AGE_MS)) remove(name);
      else if (!first || name < first) first = name;
    }
    return read(first) && first;
  } catch {
    return '';
  }
};

/** The events of a batch, one a line. @param {string} name */
export const read = (name) => storage().getItem(name) || '';

/** @param {string} name */
export const remove = (name) => storage().removeItem(name);

/** Gives the lease back, if it is ours. */
export const release = () => {
  if (isOurs) remove(LEASE);
  isOurs = false;
};

/**
 * Calls `work` in one tab at a time, until `release` is called there. To others it says when to ask again; here, where
 * the work is about to begin, soon.
 * @param {() => void} work
 * @param {(ms: number) => void} busy
 */
export const withLease = (work, busy) => {
  const left = parseInt(read(LEASE)) - now();
  if (left > 0 && left <= LEASE_MS) return busy(isOurs ? SETTLE_MS : left);
  const lease = `${now() + LEASE_MS}.${code()}`;
  isOurs = true;
  try {
    storage().setItem(LEASE, lease);
  } catch {
    return work(); // no room even for this
  }
  startTimer(
    guard('transport', () => {
      isOurs = read(LEASE) === lease;
      if (isOurs) work();
      else busy(LEASE_MS);
    }),
    SETTLE_MS,
  );
};
