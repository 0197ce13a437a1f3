// Sends events to the server in bounded batches, and repeats them until the server has them. Knows no event types.

import { oldest, read, remove, store } from './backlog.js';
import { guard, listen } from './guard.js';
import { toJson } from './json.js';
import { joined, select } from './lists.js';
import { nativeFetch, now, random, startTimer, stopTimer } from './natives.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { domain } from './visit.js';

/** @import { SdkEvent } from './types' */

const DEBOUNCE_MS = 250;
const MAX_EVENTS = 100;
/** 48 KB less the members around the events. */
const MAX_BYTES = 48 * 1024 - 512;
/** Exceeded only if the server is unavailable for long. */
const MAX_QUEUE = 500;
const MAX_BACKOFF_SECONDS = 60;
const AFTERMATH_MS = 100;
const MAX_WAIT_MS = 3600 * 1000;

/** Events as JSON texts, so that a retry sends the same bytes. @type {string[]} */
let queue = [];
/** New events in flight; empty while a stored batch is in flight. @type {string[] | undefined} */
let pending;
let limit = MAX_EVENTS;
let attempt = 0;
let timer = 0;
/** The storage may contain batches: at first, those of an earlier page. */
let isBacklog = true;
let isOpen = false;
let isOwn = false;

/**
 * Milliseconds in a Retry-After header, or 0.
 * @param {any} header seconds: the edge sends no dates
 */
export const retryAfterMs = (header) => (header > 0 ? Math.min(header * 1000, MAX_WAIT_MS) : 0);

/**
 * Back-off with full jitter under a cap that doubles from 1 to 60 seconds, added to the server's Retry-After.
 * @param {number} failures before this one
 * @param {string | null} [header]
 */
export const retryDelay = (failures, header) =>
  retryAfterMs(header) + random() * 1000 * Math.min(MAX_BACKOFF_SECONDS, 2 ** failures);

/**
 * The first texts that fit into one request.
 * @param {string[]} texts
 * @param {number} count
 * @param {number} bytes
 */
export const fitting = (texts, count, bytes) =>
  select(texts, (text, index) => (bytes -= text.length + 1) >= 0 && index < count);

/** Remove the next batch from the queue. */
const take = () => {
  const batch = fitting(queue, limit, MAX_BYTES);
  queue = select(queue, (_, index) => index >= batch.length);
  return batch;
};

/** Shop and signature are the server's own, so they need no escaping. @param {string[]} batch */
const bodyOf = (batch) => {
  const who = `"_shopId":"${config.shop_id}","_signature":"${config.runtime.events_signature}"`;
  return `{"events":[${joined(batch, ',')}],${who},"sentAt":${now()}}`;
};

const address = () => (isOwn ? `/_svc/events${domain && `?d=${domain}`}` : config.runtime.events_url);

/** @param {string} body */
const sendBeacon = (body) => navigator.sendBeacon?.(address(), body);

/**
 * Post as `text/plain`, which needs no preflight; cookies are sent to the page's own origin only.
 * @param {string} body
 * @param {(status: number, retryAfter?: string | null) => void} done
 */
const post = (body, done) => {
  // A page may have broken fetch so that it returns no status; the beacon still works.
  const beaconInstead = () => done(sendBeacon(body) ? 202 : 0);
  try {
    nativeFetch(address(), {
      method: 'POST',
      body,
      keepalive: true,
    }).then(
      (reply) => (reply?.status ? done(reply.status, reply.headers.get('retry-after')) : beaconInstead()),
      // On a page that is being left, keepalive requests fail here and still arrive. So only a page that stays goes on.
      () => startTimer(done, AFTERMATH_MS, 0),
    );
  } catch {
    beaconInstead();
  }
};

/** @param {number} ms */
const schedule = (ms) => {
  timer ||= +startTimer(pump, ms);
};

/** Store a batch until the next attempt; without storage it returns to the queue. @param {string[]} batch */
const defer = (batch) => {
  if (!isOpen) return;
  if (store(batch)) isBacklog = true;
  else queue = [...batch, ...queue];
};

/** @param {number} status */
const isWorthRetrying = (status) => !status || status === 408 || status === 429 || status >= 500;

/**
 * Handle the outcome of a request with new events, or with a stored batch.
 * @param {string[]} batch
 * @param {string} name
 * @param {number} status
 * @param {string | null} [retryAfter]
 */
const settle = (batch, name, status, retryAfter) => {
  pending = undefined;
  stopTimer(timer);
  timer = 0;
  if (isWorthRetrying(status)) {
    if (!name) defer(batch);
    return schedule(retryDelay(attempt++, retryAfter));
  }
  attempt = 0;
  if (name) remove(name);
  if (status === 413 && batch.length > 1 && isOpen) {
    limit = batch.length >> 1;
    queue = [...batch, ...queue];
  }
  // At once, even if a retry is scheduled: the server responds.
  if (isBacklog || queue.length) startTimer(pump, 0);
};

/**
 * @param {string[]} batch
 * @param {string} name
 */
const send = (batch, name) => {
  if (!batch.length) return;
  pending = name ? [] : batch;
  parts._noteSent?.(batch, 'fetch');
  const done = (/** @type {number} */ status, /** @type {string | null | undefined} */ retryAfter) => {
    // A shop's server may deliver the snippet but not have the route for events.
    const isUnknown = isOwn && (status === 404 || status === 405);
    if (isUnknown) isOwn = false;
    parts._noteAnswered?.(batch, status);
    settle(batch, name, isUnknown ? 0 : status, retryAfter);
  };
  post(bodyOf(batch), guard('transport', done));
};

/** Send new events at once, even during a back-off. */
export const flush = guard('transport', () => {
  if (!pending) send(take(), '');
});

/** Send stored batches, the oldest first, then new events. */
const pump = guard('transport', () => {
  stopTimer(timer);
  timer = 0;
  if (pending || !isOpen) return;
  const name = isBacklog && oldest();
  isBacklog = !!name;
  if (name) send(read(name).split('\n'), name);
  else flush();
});

/** @param {SdkEvent} event */
export const add = (event) => {
  const text = toJson(event);
  if (!isOpen || text.length >= MAX_BYTES || queue.length >= MAX_QUEUE) return;
  queue[queue.length] = text;
  if (!pending) schedule(DEBOUNCE_MS);
};

/**
 * Hand over the queue, because the page may not return; keepalive finishes requests in flight. A beacon does not report
 * whether it arrived, so if the server was unreachable, the events are stored.
 */
const leave = () => {
  const isCut = navigator.onLine === false || attempt > 0;
  if (isCut && pending?.length) defer(pending);
  while (queue.length) {
    const batch = take();
    parts._noteSent?.(batch, 'beacon');
    if ((isCut || !sendBeacon(bodyOf(batch))) && !store(batch)) {
      queue = [...batch, ...queue];
      return;
    }
  }
  if (isCut) {
    isBacklog = true;
    schedule(retryDelay(attempt));
  }
};

/**
 * Open or close the transport. Only an open transport takes, stores and sends events; either call drops the queue.
 * @param {boolean} open
 */
export const openTransport = (open) => {
  isOpen = open;
  isBacklog = true;
  queue = [];
};

/**
 * Start sending. If the running script comes from the page's own origin, events go to that origin too, and the response
 * may refresh the visitor's cookie.
 */
export const startTransport = () => {
  const { currentScript: script } = /** @type {{ currentScript: any }} */ (document);
  isOwn = new RegExp(`^/.*${config.shop_id}\\.js`).test(`${script?.src}`.split(location.origin)[1]);
  listen('online', () => {
    isBacklog = true;
    attempt = 0;
    if (!document.hidden) pump(); // not in all tabs at once
  });
  listen('pagehide', leave);
  listen('visibilitychange', () => {
    if (document.hidden) leave();
  });
};
