// Who visits, and since when: visitor id, session, what was counted in it and seen before, in one first-party cookie.
// `svc_v = visitor.session.hops.marks.sticky.source.seen.first.last.visits.pages`; the visitor id stands first, where
// the edge reads it too. `sticky` is `~state-variation` for each: hashes of the seed and of the variation's id.

import { seedOf } from './decide.js';
import { fold } from './hash.js';
import { record } from './lists.js';
import { keysOf } from './natives.js';

/** @import { Decision, Experiment } from './types' */

const COOKIE = 'svc_v';
const SESSION_SECONDS = 30 * 60;
const KEEP_SECONDS = 400 * 24 * 3600;
const MAX_HOPS = 3;
const HOP_SECONDS = 10;
/** Characters, eight a mark and sixteen a sticky assignment: with everything else the cookie stays under 3.5 KB. */
const MAX_MARKS = 1200;
const MAX_STICKY = 2000;
const DAY_SECONDS = 24 * 3600;
const ID = /^[\w-]{16,64}$/;

/** 128 random bits. */
export const randomId = () => {
  let id = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += (byte + 256).toString(16).slice(1);
  return id;
};

/** @param {number} number */
const encode = (number) => (number || 0).toString(36);

/** What stands for a text in the cookie. @param {string} text */
const codeOf = (text) => encode(fold(text));

/** @param {string | undefined} text */
const decode = (text) => parseInt(text || '0', 36) || 0;

/** What any script of the origin may have written: the id alone counts where the rest has another form. */
const FORM = new RegExp(
  '(?:^|; )svc_v=([\\w-]{16,64})' +
    '(?:\\.(\\w{1,32})\\.([\\w-]{0,24})\\.([~\\w]*)\\.([~\\w-]*)\\.(\\w{0,20})\\.([\\w.]{0,60}))?(?=[.;]|$)',
);

/** @param {string} text all cookies */
const readCookie = (text) => FORM.exec(text) || [];

/**
 * The newest entries: what is cut off in front goes whole.
 * @param {string} entries
 * @param {number} room
 */
const newest = (entries, room) =>
  entries.length > room ? entries.slice(-room).replace(/^[^~]+/, '') : entries;

/**
 * The shop's own domain that this host belongs to: its sub-domains share the visitor. It is told, never guessed: what
 * looks like a shop's domain may be a platform's, and others have shops there.
 * @param {string[]} [domains]
 */
export const domainOf = (domains = []) => {
  for (const domain of domains) if (`.${location.hostname}`.endsWith(`.${domain}`)) return domain;
  return '';
};

/**
 * @param {{ cookie: string }} jar `document`, or a stand-in
 * @param {boolean} secure
 * @param {string} [domain] whose sub-domains share the cookie; only this host where there is none
 */
export const createVisit = (jar, secure, domain) => {
  const attributes = `; path=/; samesite=lax${domain ? `; domain=${domain}` : ''}${secure ? '; secure' : ''}; max-age=`;
  /** Who the visitor is known to be, whatever the cookie says. */
  let adopted = '';
  let handed = '';
  let visitorId = '';
  let sessionId = '';
  let hops = '';
  let marks = '';
  /** Codes of variations by experiment. @type {Record<string, string>} */
  let kept = record();
  let source = '';
  let [seen, first, last, visits, pages] = [0, 0, 0, 0, 0];
  let cookies = '';

  const reset = () => {
    visitorId = sessionId = hops = marks = source = '';
    kept = record();
    seen = first = last = visits = pages = 0;
  };

  /** @param {string} text */
  const take = (text) => text.replace(/~(\w+)-(\w+)/g, (_, state, code) => (kept[state] = code));

  const stickyText = () => {
    let text = '';
    for (const state of keysOf(kept)) text += `~${state}-${kept[state]}`;
    return newest(text, MAX_STICKY);
  };

  /** @param {number} since */
  const daysSince = (since) => Math.floor((seen - since) / DAY_SECONDS);

  const visit = {
    visitorId: () => visitorId,
    sessionId: () => sessionId,

    /** Reads the cookie and goes on with its session, or starts one. @param {number} ms */
    resume(ms) {
      const at = Math.floor(ms / 1000);
      cookies = jar.cookie;
      const [, visitor, session, hopsText, marksText, variations, from, times] = readCookie(cookies);
      const isOther = adopted && adopted !== visitor;
      visitorId = adopted || visitor || visitorId || randomId();
      adopted = '';
      if (session && !isOther) {
        [sessionId, hops, marks, source] = [session, hopsText, marksText, from];
        kept = record();
        take(variations);
        const [a, b, c, d, e] = times.split('.');
        [seen, first, last, visits, pages] = [decode(a), decode(b), decode(c), decode(d), decode(e)];
      }
      if (!sessionId || Math.abs(at - seen) > SESSION_SECONDS) {
        sessionId = randomId().slice(16);
        marks = source = '';
        last = seen;
        visits++;
        pages = 0;
      }
      first ||= at;
      seen = at;
      take(handed);
      handed = '';
    },

    /**
     * From the next turn on the visitor is this one; another's session and history are left.
     * @param {string} id
     * @param {string} [variations] as in the cookie: what was seen elsewhere
     */
    adopt(id, variations = '') {
      if (!ID.test(id)) return;
      if (id !== visitorId) reset();
      adopted = id;
      handed = variations;
    },

    /** Takes the cookie away, and forgets who the visitor was. */
    forget() {
      if (readCookie(jar.cookie).length) jar.cookie = `${COOKIE}=${attributes}0`;
      reset();
    },

    /** Who the visitor is and what was seen, for carts: taken up by `adopt` where they are paid. */
    stamp: () => `${visitorId}.${stickyText()}`,

    /** True the first time in this session. The mark lasts when `save` writes it. @param {string} key */
    first(key) {
      const mark = `~${codeOf(key)}`;
      if (`${marks}~`.includes(`${mark}~`)) return false;
      marks = newest(marks + mark, MAX_MARKS);
      return true;
    },

    save() {
      if (!sessionId) return; // forgotten meanwhile
      jar.cookie =
        `${COOKIE}=${visitorId}.${sessionId}.${hops}.${marks}.${stickyText()}.${source}` +
        `.${encode(seen)}.${encode(first)}.${encode(last)}.${encode(visits)}.${encode(pages)}` +
        `${attributes}${KEEP_SECONDS}`;
    },

    /** All cookies, as they were when they were last read. */
    cookies: () => cookies,

    /** A page is looked at; one that a visitor came to from elsewhere says where from. @param {string} from */
    arrive(from) {
      pages++;
      if (!source || (from !== 'internal' && from !== 'direct')) source = from;
    },

    /** Attributes of docs/data-model.md, section 2.3. */
    history: () => ({
      visitor: visits > 1 ? 'returning' : 'new',
      visits,
      days_since_first_visit: daysSince(first),
      days_since_last_visit: last ? daysSince(last) : undefined,
      pages_viewed: pages,
      traffic_source: source,
    }),

    /**
     * The variations seen before, by seed. Those of experiments that have ended are forgotten.
     * @param {Experiment[]} experiments
     */
    sticky(experiments) {
      const live = record();
      /** @type {Record<string, string>} */
      const found = record();
      for (const experiment of experiments) {
        const state = encode(experiment.state);
        for (const { id } of kept[state] ? experiment.variations : []) {
          if (codeOf(id) !== kept[state]) continue;
          found[seedOf(experiment)] = id;
          live[state] = kept[state];
        }
      }
      kept = live;
      return found;
    },

    /** @param {Decision} decision */
    keep({ experiment, variation }) {
      kept[encode(experiment.state)] = codeOf(variation.id);
    },

    /**
     * Counts a redirect and says whether it may happen. No more than three in ten seconds, and none at all where
     * the count cannot be kept: a loop would have no end there.
     */
    hop() {
      const [count, since] = hops.split('-');
      const going = seen - decode(since) <= HOP_SECONDS;
      const next = going ? Number(count) + 1 : 1;
      if (next > MAX_HOPS) return false;
      hops = `${next}-${going ? since : encode(seen)}`;
      visit.save();
      return readCookie(jar.cookie)[3] === hops;
    },
  };
  return visit;
};
