// Who visits, and since when: visitor id, session and what was already counted in it, in one first-party cookie.
// `svc_v = visitor.session.seen.hops.marks`; the visitor id stands first, where the edge can read it too.

import { fold } from './hash.js';

const COOKIE = 'svc_v';
const SESSION_SECONDS = 30 * 60;
const KEEP_SECONDS = 400 * 24 * 3600;
const MAX_HOPS = 3;
const HOP_SECONDS = 10;
/** Characters, eight a mark: the cookie stays under 1.5 KB. */
const MAX_MARKS = 1200;

/** 128 random bits. */
export const randomId = () => {
  let id = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += (byte + 256).toString(16).slice(1);
  return id;
};

/** @param {number} seconds */
const encodeTime = (seconds) => seconds.toString(36);

/** @param {string | undefined} text */
const decodeTime = (text) => Number.parseInt(text || '0', 36) || 0;

/** @param {{ cookie: string }} jar */
const readCookie = (jar) => {
  const found = /(?:^|; )svc_v=([\w-]{16,64})\.([^;]*)/.exec(jar.cookie);
  return found ? `${found[1]}.${found[2]}`.split('.') : [];
};

/** The newest marks: what is cut off in front goes whole. @param {string} marks */
const newestMarks = (marks) =>
  marks.length > MAX_MARKS ? marks.slice(-MAX_MARKS).replace(/^[^~]+/, '') : marks;

/**
 * @param {{ cookie: string }} jar `document`, or a stand-in
 * @param {boolean} secure
 */
export const createVisit = (jar, secure) => {
  let visitorId = '';
  let sessionId = '';
  let seen = 0;
  let hops = '';
  let marks = '';

  const visit = {
    visitorId: () => visitorId,
    sessionId: () => sessionId,

    /** Reads the cookie and goes on with its session, or starts one. @param {number} ms */
    resume(ms) {
      const at = Math.floor(ms / 1000);
      const [visitor, session, seenText, hopsText, marksText] = readCookie(jar);
      visitorId = visitor || visitorId || randomId();
      if (session) {
        [sessionId, seen, hops, marks] = [session, decodeTime(seenText), hopsText || '', marksText || ''];
      }
      if (!sessionId || Math.abs(at - seen) > SESSION_SECONDS) {
        sessionId = randomId().slice(16);
        marks = '';
      }
      seen = at;
    },

    /** True the first time in this session. The mark lasts when `save` writes it. @param {string} key */
    first(key) {
      const mark = `~${fold(key).toString(36)}`;
      if (`${marks}~`.includes(`${mark}~`)) return false;
      marks = newestMarks(marks + mark);
      return true;
    },

    save() {
      jar.cookie =
        `${COOKIE}=${visitorId}.${sessionId}.${encodeTime(seen)}.${hops}.${marks}` +
        `; path=/; max-age=${KEEP_SECONDS}; samesite=lax${secure ? '; secure' : ''}`;
    },

    /**
     * Counts a redirect and says whether it may happen. No more than three in ten seconds, and none at all where
     * the count cannot be kept: a loop would have no end there.
     */
    hop() {
      const [count, since] = hops.split('-');
      const going = seen - decodeTime(since) <= HOP_SECONDS;
      const next = going ? Number(count) + 1 : 1;
      if (next > MAX_HOPS) return false;
      hops = `${next}-${going ? since : encodeTime(seen)}`;
      visit.save();
      return readCookie(jar)[3] === hops;
    },
  };
  return visit;
};
