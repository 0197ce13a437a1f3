// Undelivered events, kept in the browser's storage until the next attempt, page or tab sends them.
// Each batch has its own key and never changes; the sender removes it. So tabs can write concurrently. Two tabs may
// send the same batch at the same time: the server counts an event id once.

import { encode } from './hash.js';
import { joined, select } from './lists.js';
import { keysOf, now, random } from './natives.js';

/** In characters; the rest of the storage belongs to the page. */
const MAX_CHARS = 400_000;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;

/** Throws where the browser denies this page its storage. */
export const storage = () => window.localStorage;

/** Keys `svc_q.<time>.<code>`, or of another form that an older release or a script wrote. @param {string} [prefix] */
export const ownNames = (prefix = 'svc_q.') => select(keysOf(storage()), (name) => name.startsWith(prefix));

/**
 * Store a batch; return false if it does not fit or the storage refuses it.
 * @param {string[]} texts
 */
export const store = (texts) => {
  const content = joined(texts, '\n');
  let chars = MAX_CHARS - content.length;
  try {
    for (const name of ownNames()) chars -= read(name).length;
    if (chars < 0) return false;
    const name = `svc_q.${encode(now())}.${encode(random()).slice(2)}`;
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
