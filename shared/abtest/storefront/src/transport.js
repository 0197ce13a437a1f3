// Events to the server: gathered, bounded, sent again until the server has them. Knows nothing of their meaning.

import { oldest, read, release, remove, store, withLease } from './backlog.js';
import { guard, listen } from './guard.js';
import { toJson } from './json.js';
import { select } from './lists.js';
import { nativeFetch, now, random, startTimer, stopTimer } from './natives.js';
import { config } from './page.js';
import { domain } from './visit.js';

/** @import { SdkEvent } from './types' */

const DEBOUNCE_MS = 250;
const MAX_EVENTS = 100;
/** Of 48 KB, with room for what stands around the events. */
const MAX_BYTES = 48 * 1024 - 512;
/** More than this waits only where the server is gone for long. */
const MAX_QUEUE = 500;
const MAX_BACKOFF_SECONDS = 60;
const AFTERMATH_MS = 100;
const MAX_WAIT_MS = 3600 * 1000;

/** Events as texts: a retry repeats them to the letter. @type {string[]} */
let queue = [];
/** What is on its way; of what lies in storage, nothing. @type {string[] | undefined} */
let pending;
let limit = MAX_EVENTS;
let attempt = 0;
let timer = 0;
/** There may be something in storage: at first, what an earlier page could not deliver. */
let isBacklog = true;
let isOpen = false;
let isOwn = false;

/**
 * Milliseconds that a Retry-After header asks for, 0 for none.
 * @param {any} header seconds or a date
 */
export const retryAfterMs = (header) => {
  const ms = header * 1000 || Date.parse(header) - now();
  return ms > 0 ? Math.min(ms, MAX_WAIT_MS) : 0;
};

/**
 * Full jitter under a cap that doubles from 1 to 60 seconds, never before the server's own wish.
 * @param {number} failures before this one
 * @param {string | null} [header]
 */
export const retryDelay = (failures, header) =>
  retryAfterMs(header) + random() * 1000 * Math.min(MAX_BACKOFF_SECONDS, 2 ** failures);

/**
 * Texts from the front that fit into one request.
 * @param {string[]} texts
 * @param {number} count
 * @param {number} bytes
 */
export const fitting = (texts, count, bytes) =>
  select(texts, (text, index) => (bytes -= text.length + 1) >= 0 && index < count);

/** Takes the front of the queue. */
const take = () => {
  const batch = fitting(queue, limit, MAX_BYTES);
  queue = select(queue, (_, index) => index >= batch.length);
  return batch;
};

/** @param {string[]} batch */
const bodyOf = (batch) => {
  const { shop_id: shop, runtime } = config;
  let events = '';
  for (const text of batch) events += (events && ',') + text;
  const who = `"_shopId":${toJson(shop)},"_signature":${toJson(runtime.events_signature)}`;
  return `{"events":[${events}],${who},"sentAt":${now()}}`;
};

const address = () => (isOwn ? `/_svc/events${domain && `?d=${domain}`}` : config.runtime.events_url);

/** @param {string} body */
const sendBeacon = (body) => navigator.sendBeacon?.(address(), body);

/**
 * A text goes as `text/plain`, the one type that needs no preflight, and brings cookies to the page's own origin only.
 * @param {string} body
 * @param {(status: number, retryAfter?: string | null) => void} done
 */
const post = (body, done) => {
  // A page whose fetch is broken beyond telling us a status still has the beacon.
  const beaconInstead = () => done(sendBeacon(body) ? 202 : 0);
  try {
    nativeFetch(address(), {
      method: 'POST',
      body,
      keepalive: true,
    }).then(
      (reply) => (reply?.status ? done(reply.status, reply.headers.get('retry-after')) : beaconInstead()),
      // A page that is being left sees its requests fail that are kept alive and arrive: only one that stays goes on.
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

/** Until the next try these lie in storage; where there is none, they wait here. @param {string[]} batch */
const defer = (batch) => {
  if (!isOpen) return;
  if (store(batch)) isBacklog = true;
  else queue = [...batch, ...queue];
};

/** @param {number} status */
const isWorthRetrying = (status) => !status || status === 408 || status === 429 || status >= 500;

/**
 * What became of a request: of events that lie in storage under this name, or of new ones.
 * @param {string[]} batch
 * @param {string} name
 * @param {number} status
 * @param {string | null} [retryAfter]
 */
const settle = (batch, name, status, retryAfter) => {
  pending = undefined;
  if (isWorthRetrying(status)) {
    release();
    if (!name) defer(batch);
    return schedule(retryDelay(attempt++, retryAfter));
  }
  attempt = 0;
  if (name) remove(name);
  if (status === 413 && batch.length > 1 && isOpen) {
    limit = batch.length >> 1;
    queue = [...batch, ...queue];
  }
  if (name) drain();
  // At once, whatever a later try waits for: the server answers.
  else if (isBacklog || queue.length) startTimer(pump, 0);
};

/**
 * @param {string[]} batch
 * @param {string} name
 */
const send = (batch, name) => {
  if (!batch.length) return;
  pending = name ? [] : batch;
  const done = (/** @type {number} */ status, /** @type {string | null | undefined} */ retryAfter) => {
    // A shop's server that delivers the snippet, but does not know the service's route beside it.
    const isUnknown = isOwn && (status === 404 || status === 405);
    if (isUnknown) isOwn = false;
    settle(batch, name, isUnknown ? 0 : status, retryAfter);
  };
  post(bodyOf(batch), guard('transport', done));
};

/** Sends at once what is new, also past a running back-off. */
export const flush = guard('transport', () => {
  if (!pending) send(take(), '');
});

/** Sends what lies in storage, the oldest first, then what is new. */
const drain = () => {
  const name = oldest();
  if (name) return send(read(name).split('\n'), name);
  isBacklog = false;
  release();
  flush();
};

const pump = guard('transport', () => {
  const busy = (/** @type {number} */ ms) => {
    flush();
    schedule(ms);
  };
  stopTimer(timer);
  timer = 0;
  if (pending || !isOpen) return;
  if (isBacklog && oldest()) return withLease(drain, busy);
  isBacklog = false;
  flush();
});

/** @param {SdkEvent} event */
export const add = (event) => {
  const text = toJson(event);
  if (!isOpen || text.length >= MAX_BYTES || queue.length >= MAX_QUEUE) return;
  queue[queue.length] = text;
  if (!pending) schedule(DEBOUNCE_MS);
};

/**
 * The page may be going for good; what is on its way already is kept alive by the browser. A beacon does not tell
 * whether it arrived: where the server was out of reach, what waits goes into storage.
 */
const leave = () => {
  const isCut = navigator.onLine === false || attempt > 0;
  release(); // whoever comes next need not wait
  if (isCut && pending?.length) defer(pending);
  while (queue.length) {
    const batch = take();
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
 * From now on events are taken, kept and sent; before that, and once it is closed again, none, and what waits is
 * dropped.
 * @param {boolean} open
 */
export const openTransport = (open) => {
  isOpen = open;
  isBacklog = true;
  queue = [];
};

/**
 * Where the snippet comes from the page's own origin, events go there as well, and the answer may refresh the
 * visitor's cookie. The script that is running tells.
 */
export const startTransport = () => {
  const { currentScript: script } = /** @type {{ currentScript: any }} */ (document);
  isOwn = new RegExp(`^/.*${config.shop_id}\\.js`).test(`${script?.src}`.split(location.origin)[1]);
  listen('online', () => {
    isBacklog = true;
    attempt = 0;
    if (!document.hidden) pump(); // else it may be closing, and its lease would outlive it
  });
  listen('pagehide', leave);
  listen('visibilitychange', () => {
    if (document.hidden) leave();
  });
};
