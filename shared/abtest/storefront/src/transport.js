// Events to the server: gathered, bounded, sent again until the server has them. Knows nothing of their meaning.

import { toJson } from './json.js';
import { select } from './lists.js';
import { nativeFetch, now, random, startTimer, stopTimer } from './natives.js';

/** @import { Config, Guard, SdkEvent } from './types' */

const DEBOUNCE_MS = 250;
const MAX_EVENTS = 100;
const MAX_BYTES = 48 * 1024;
/** More than this waits only where the server is gone for long. */
const MAX_QUEUE = 500;
const MAX_BACKOFF_SECONDS = 60;
const AFTERMATH_MS = 100;
const MAX_WAIT_MS = 3600 * 1000;

/** @param {number} status */
const isWorthRetrying = (status) => status === 0 || status === 408 || status === 429 || status >= 500;

/**
 * Milliseconds that a Retry-After header asks for, 0 for none.
 * @param {string | null | undefined} header seconds or a date
 */
export const retryAfterMs = (header) => {
  if (!header) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : new Date(header).getTime() - now();
  return ms > 0 ? Math.min(ms, MAX_WAIT_MS) : 0;
};

/**
 * Full jitter under a cap that doubles from 1 to 60 seconds, never before the server's own wish.
 * @param {number} attempt from 0
 * @param {string | null | undefined} header
 */
export const retryDelay = (attempt, header) =>
  retryAfterMs(header) + random() * 1000 * Math.min(MAX_BACKOFF_SECONDS, 2 ** attempt);

/**
 * How many texts from the front fit into one request.
 * @param {string[]} queue
 * @param {number} limit
 * @param {number} bytes
 */
export const countFitting = (queue, limit, bytes) => {
  let count = 0;
  while (count < queue.length && count < limit) {
    bytes -= queue[count].length + 1;
    if (bytes < 0) break;
    count++;
  }
  return count;
};

/**
 * @param {string} url
 * @param {string} body
 */
const sendBeacon = (url, body) => !!navigator.sendBeacon?.(url, body);

/**
 * @param {string} url
 * @param {string} body
 * @param {(status: number, retryAfter?: string | null) => void} done
 */
const post = (url, body, done) => {
  // A page whose fetch is broken beyond telling us a status still has the beacon.
  const beaconInstead = () => done(sendBeacon(url, body) ? 202 : 0);
  try {
    nativeFetch(url, {
      method: 'POST',
      body,
      keepalive: true,
      credentials: 'omit',
      headers: { 'content-type': 'text/plain' }, // the one type that needs no preflight
    }).then(
      (reply) => (reply?.status ? done(reply.status, reply.headers.get('retry-after')) : beaconInstead()),
      // A page that is being left sees its requests fail that are kept alive and arrive: only one that stays goes on.
      () => startTimer(() => done(0), AFTERMATH_MS),
    );
  } catch {
    beaconInstead();
  }
};

/**
 * @param {Config} config
 * @param {Guard} guard
 */
export const createTransport = (config, guard) => {
  const { events_url: url, events_signature: signature } = config.runtime;
  const tail = `],"_shopId":${toJson(config.shop_id)},"_signature":${toJson(signature)},"sentAt":`;
  const room = MAX_BYTES - tail.length - 32;
  /** @type {string[]} events as texts: a retry repeats them to the letter */
  let queue = [];
  let limit = MAX_EVENTS;
  let attempt = 0;
  let inFlight = false;
  let timer = 0;

  /** Takes the front of the queue. */
  const take = () => {
    const count = countFitting(queue, limit, room);
    const batch = select(queue, (_, index) => index < count);
    queue = select(queue, (_, index) => index >= count);
    return batch;
  };

  /** @param {string[]} batch */
  const bodyOf = (batch) => {
    let events = '';
    for (const text of batch) events += (events && ',') + text;
    return `{"events":[${events}${tail}${now()}}`;
  };

  /** @param {number} ms */
  const schedule = (ms) => {
    timer ||= +startTimer(flush, ms);
  };

  /**
   * @param {string[]} batch
   * @param {number} status
   * @param {string | null} [retryAfter]
   */
  const settle = (batch, status, retryAfter) => {
    inFlight = false;
    let wait = 0;
    if (isWorthRetrying(status)) {
      queue = [...batch, ...queue];
      wait = retryDelay(attempt++, retryAfter);
    } else {
      attempt = 0;
      if (status === 413 && batch.length > 1) {
        limit = batch.length >> 1;
        queue = [...batch, ...queue];
      }
    }
    if (queue.length) schedule(wait);
  };

  const flush = guard('transport', () => {
    stopTimer(timer);
    timer = 0;
    if (inFlight || !queue.length) return;
    inFlight = true;
    const batch = take();
    post(
      url,
      bodyOf(batch),
      guard('transport', (status, retryAfter) => settle(batch, status, retryAfter)),
    );
  });

  return {
    /** @param {SdkEvent} event */
    add(event) {
      const text = toJson(event);
      if (text.length >= room || queue.length >= MAX_QUEUE) return;
      queue[queue.length] = text;
      if (!inFlight) schedule(DEBOUNCE_MS);
    },

    /** Sends at once what waits, also past a running back-off: what follows may not come back. */
    flush,

    /** The page may be going for good; what is on its way already is kept alive by the browser. */
    leave() {
      while (queue.length) {
        const batch = take();
        if (!sendBeacon(url, bodyOf(batch))) {
          queue = [...batch, ...queue];
          return;
        }
      }
    },
  };
};
