// Undelivered events, kept in the browser's storage until the next attempt, page or tab sends them.
// Each batch has its own key and never changes; the sender removes it. So tabs can write concurrently.
// A lease keeps two tabs from sending the same batch. If it fails, the server removes duplicates by event id.

import { guard } from './guard.js';
import { encode } from './hash.js';
import { joined, select } from './lists.js';
import { keysOf, now, random, startTimer } from './natives.js';

const LEASE = 'svc_lock';
const MAX_EVENTS = 500;
/** In characters; the rest of the storage belongs to the page. */
const MAX_CHARS = 400_000;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;
/** A closed tab has released its lease; a crashed tab blocks the others for this long. */
const LEASE_MS = 10_000;
/** Time until another tab's lease is visible here. */
const SETTLE_MS = 50;

let isOurs = false;

/** Throws where the browser denies this page its storage. */
export const storage = () => window.localStorage;

const code = () => encode(random()).slice(2);

/** Keys `svc_q.<time>.<count of events>.<code>`, or of another form that a script wrote. @param {string} [prefix] */
export const ownNames = (prefix = 'svc_q.') => select(keysOf(storage()), (name) => name.startsWith(prefix));

/**
 * Store a batch; return false if it does not fit or the storage refuses it.
 * @param {string[]} texts
 */
export const store = (texts) => {
  const content = joined(texts, '\n');
  let room = MAX_EVENTS - texts.length;
  let chars = MAX_CHARS - content.length;
  try {
    for (const name of ownNames()) {
      room -= Number(name.split('.')[2]) || 0;
      chars -= read(name).length;
    }
    if (room < 0 || chars < 0) return false;
    const name = `svc_q.${encode(now())}.${texts.length}.${code()}`;
    storage().setItem(name, content);
    return read(name) === content; // some browsers drop it without an error
  } catch {
    return false;
  }
};

/** Key of the oldest readable batch, or ''. Removes batches that are too old or have another form. */
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

/** Events of a batch, one per line. @param {string} name */
export const read = (name) => storage().getItem(name) || '';

/** @param {string} name */
export const remove = (name) => storage().removeItem(name);

/** Release the lease if this tab holds it. */
export const release = () => {
  if (isOurs) remove(LEASE);
  isOurs = false;
};

/**
 * Call `work` in one tab at a time, until that tab calls `release`. In other tabs `busy` gets the remaining time of the
 * lease; in this tab, where `work` is about to start, a short time.
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
    return work(); // the storage is full
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
