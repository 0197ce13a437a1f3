// Events to the server: gathered, bounded, sent again until the server has them. Knows nothing of their meaning.

import { createBacklog } from './backlog.js';
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
/** From here on the back-off grows no more. */
const MAX_ATTEMPT = 6;
const AFTERMATH_MS = 100;
const MAX_WAIT_MS = 3600 * 1000;
const OWN_PATH = '/_svc/events';

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
 * @param {string | null} [header]
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
 * Whether the snippet comes from the page's own origin: then events go there as well, and the answer may refresh the
 * visitor's cookie. The script that is running tells.
 * @param {string} shopId
 */
const isOwnScript = (shopId) => {
  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript || {});
  return !!src && new RegExp(`^/.*${shopId}\\.js`).test(src.split(location.origin)[1]);
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
      credentials: 'same-origin',
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
 * @param {string} [domain] that the visitor's cookie is shared with, if any
 */
export const createTransport = (config, guard, domain = '') => {
  let isOwn = isOwnScript(config.shop_id);
  let url = isOwn ? OWN_PATH + (domain && `?d=${domain}`) : config.runtime.events_url;
  const who = `"_shopId":${toJson(config.shop_id)},"_signature":${toJson(config.runtime.events_signature)}`;
  const tail = `],${who},"sentAt":`;
  const room = MAX_BYTES - tail.length - 32;
  const backlog = createBacklog();
  /** @type {string[]} events as texts: a retry repeats them to the letter */
  let queue = [];
  /** What is on its way. @type {string[]} */
  let pending = [];
  let limit = MAX_EVENTS;
  let attempt = 0;
  let inFlight = false;
  let timer = 0;
  /** There may be something in storage: at first, what an earlier page could not deliver. */
  let isBacklog = true;
  let isOpen = true;

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
    timer ||= +startTimer(pump, ms);
  };

  /** Until the next try these lie in storage; where there is none, they wait here. @param {string[]} batch */
  const defer = (batch) => {
    if (!isOpen) return;
    if (backlog.keep(batch)) isBacklog = true;
    else queue = [...batch, ...queue];
  };

  /**
   * @param {string[]} batch
   * @param {(status: number, retryAfter?: string | null) => void} settle
   */
  const send = (batch, settle) => {
    inFlight = true;
    post(
      url,
      bodyOf(batch),
      guard('transport', (status, retryAfter) => {
        inFlight = false;
        pending = [];
        // A shop's server that delivers the snippet, but does not know the service's route beside it.
        if (isOwn && (status === 404 || status === 405)) {
          isOwn = false;
          url = config.runtime.events_url;
          status = 0;
        }
        settle(status, retryAfter);
      }),
    );
  };

  /**
   * How long to wait before the next request.
   * @param {number} status
   * @param {string | null} [retryAfter]
   */
  const waitAfter = (status, retryAfter) => {
    if (isWorthRetrying(status)) return retryDelay(attempt++, retryAfter);
    attempt = 0;
    return 0;
  };

  /** Sends what is new. */
  const flush = guard('transport', () => {
    stopTimer(timer);
    timer = 0;
    if (inFlight || !queue.length) return;
    const batch = take();
    pending = batch;
    send(batch, (status, retryAfter) => {
      const wait = waitAfter(status, retryAfter);
      if (isWorthRetrying(status)) defer(batch);
      else if (status === 413 && batch.length > 1 && isOpen) {
        limit = batch.length >> 1;
        queue = [...batch, ...queue];
      }
      if (isBacklog || queue.length) schedule(wait);
    });
  });

  /** Sends what lies in storage, the oldest first, then what is new. @param {() => void} release */
  const drain = (release) => {
    const name = isOpen && backlog.oldest();
    if (!name) {
      isBacklog = false;
      release();
      flush();
      return;
    }
    const batch = backlog.read(name);
    send(batch, (status, retryAfter) => {
      const wait = waitAfter(status, retryAfter);
      if (isWorthRetrying(status)) {
        release();
        schedule(wait);
        return;
      }
      backlog.remove(name);
      if (status === 413 && batch.length > 1) {
        const half = batch.length >> 1;
        defer(select(batch, (_, index) => index < half));
        defer(select(batch, (_, index) => index >= half));
      }
      guard('transport', drain)(release);
    });
  };

  const pump = guard('transport', () => {
    stopTimer(timer);
    timer = 0;
    if (inFlight || !isOpen) return;
    if (isBacklog && backlog.oldest()) {
      backlog.locked(
        guard('transport', (release) => (inFlight ? release() : drain(release))),
        guard('transport', () => {
          flush();
          schedule(retryDelay(MAX_ATTEMPT));
        }),
      );
    } else {
      isBacklog = false;
      flush();
    }
  });

  addEventListener('online', () => {
    isBacklog = true;
    attempt = 0;
    pump();
  });

  return {
    /** @param {SdkEvent} event */
    add(event) {
      const text = toJson(event);
      if (!isOpen || text.length >= room || queue.length >= MAX_QUEUE) return;
      queue[queue.length] = text;
      if (!inFlight) schedule(DEBOUNCE_MS);
    },

    /** Sends at once what waits, also past a running back-off: what follows may not come back. */
    flush,

    /**
     * The page may be going for good; what is on its way already is kept alive by the browser. A beacon does not tell
     * whether it arrived: where the server was out of reach, what waits goes into storage.
     */
    leave() {
      const isCut = navigator.onLine === false || attempt > 0;
      if (isCut && pending.length) defer(pending);
      while (queue.length) {
        const batch = take();
        if ((isCut || !sendBeacon(url, bodyOf(batch))) && !backlog.keep(batch)) {
          queue = [...batch, ...queue];
          return;
        }
      }
      if (isCut) {
        isBacklog = true;
        schedule(retryDelay(attempt));
      }
    },

    /** While it is closed nothing is taken, kept or sent. @param {boolean} open */
    open(open) {
      isOpen = open;
      isBacklog = true;
    },

    /** Forgets what waits, here and in storage. */
    clear() {
      queue = [];
      backlog.clear();
    },
  };
};
