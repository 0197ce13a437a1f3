// The visit, in one first-party cookie: visitor id, session, marks of what was counted in the session, and history:
// `svc_v = visitor.session.hops.marks.sticky.source.seen.first.last.visits.pages`. The visitor id comes first, because
// the edge reads it too. Marks are `~key`, sticky assignments `~state-variation`, all hashes; times are in seconds.

import { collect, seedOf, stateOf } from './decide.js';
import { codeOf, encode } from './hash.js';
import { joined, record } from './lists.js';
import { parts } from './parts.js';

/** @import { Decision, Experiment } from './types' */

/** Indices of the cookie's fields. */
export const VISITOR = 0;
export const SESSION = 1;
export const HOPS = 2;
const MARKS = 3;
export const STICKY = 4;
export const SOURCE = 5;
export const SEEN = 6;
export const FIRST = 7;
export const LAST = 8;
export const VISITS = 9;
export const PAGES = 10;

/** Any script of the origin may write the cookie: if the rest has another form, only the visitor id is used. */
const FORM = /(?:^|; )svc_v=([\w-]{16,64}(?:\.\w{1,32}(?:\.[~\w-]*){9})?)(?=[.;]|$)/g;
const SESSION_SECONDS = 30 * 60;
const KEEP_SECONDS = 400 * 24 * 3600;
/** In characters: up to eight per mark, sixteen per sticky assignment. The whole cookie stays under 3.5 KB. */
const MAX_MARKS = 1200;
export const MAX_STICKY = 2000;

/** In characters. */
const MAX_SOURCE = 100;

/** Cookie store: `document`, or a substitute. @type {{ cookie: string, referrer?: string }} */
let jar;
/** Domain of the cookie: all hosts under it share the visitor. */
export let domain = '';

/** @param {string} to */
export const setDomain = (to) => {
  domain = to;
};

/** Cookies that were read before the visit began: reading them takes time. @type {string | undefined} */
let unread;
/** Read the cookies before the visit begins. */
export const peek = () => (unread = jar.cookie);

/** All cookies at the last read. */
export let cookies = '';
/** Fields of the visit, also if there is no cookie. @type {string[]} */
export let fields;

/** Start with empty fields, for no visitor or another one. @param {string} visitorId */
export const setVisitor = (visitorId) => {
  fields = `${visitorId}..........`.split('.');
};

/** @param {{ cookie: string, referrer?: string }} into */
export const openVisit = (into) => {
  jar = into;
  parts._share?.();
  setVisitor('');
};

/** 128 random bits. */
export const randomId = () => {
  let id = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += (byte + 256).toString(16).slice(1);
  return id;
};

/** @param {number} field */
export const numberIn = (field) => parseInt(fields[field], 36) || 0;

/** @param {number} field */
export const count = (field) => {
  fields[field] = encode(numberIn(field) + 1);
};

/**
 * Append an entry to a list; the oldest entries are removed whole when there is no room.
 * @param {number} field
 * @param {string} entry
 * @param {number} room
 */
export const append = (field, entry, room) => {
  const text = fields[field] + entry;
  fields[field] = text.length > room ? text.slice(-room).replace(/^[^~]+/, '') : text;
};

/**
 * @param {number} field
 * @param {string} entry
 */
const has = (field, entry) => `${fields[field]}~`.includes(`${entry}~`);

/**
 * Read the cookie's fields: [''] without a cookie, only the id if the rest has another form. A page may see several
 * cookies, of parent domains or of a path: the one written last is used, because we can write only one.
 */
export const readCookie = () => {
  let latest = [''];
  cookies = unread ?? jar.cookie;
  unread = undefined;
  for (const [, value] of cookies.matchAll(FORM)) {
    const each = value.split('.');
    if (!latest[SEEN] || each[SEEN] >= latest[SEEN]) latest = each;
  }
  return latest;
};

/**
 * @param {string} value
 * @param {number} seconds
 */
export const writeCookie = (value, seconds) => {
  const attributes = `${domain && `; domain=${domain}`}${location.protocol === 'https:' ? '; secure' : ''}`;
  jar.cookie = `svc_v=${value}; path=/; samesite=lax${attributes}; max-age=${seconds}`;
};

/** Read the cookie and resume its session, or start one. @param {number} ms */
export const resume = (ms) => {
  const at = Math.floor(ms / 1000);
  const stored = parts._readShared?.() || readCookie();
  if (stored[SESSION]) fields = stored;
  fields[VISITOR] = stored[VISITOR] || fields[VISITOR] || randomId();
  parts._adopt?.();
  if (!fields[SESSION] || Math.abs(at - numberIn(SEEN)) > SESSION_SECONDS) {
    fields[SESSION] = randomId().slice(16);
    fields[MARKS] = fields[PAGES] = '';
    // A raw hint that the server interprets; the audiences part replaces it with the name of the source.
    fields[SOURCE] = ` ${jar.referrer}${location.search}`.replace(/\W+/g, '-').slice(0, MAX_SOURCE);
    fields[LAST] = fields[SEEN];
    count(VISITS);
  }
  fields[SEEN] = encode(at);
  fields[FIRST] ||= fields[SEEN];
};

export const save = () => {
  const value = joined(fields, '.');
  if (!fields[SESSION]) return; // consent was withdrawn meanwhile
  writeCookie(value, KEEP_SECONDS);
  parts._written?.(value);
};

/** Data for segments of results: the number of the visit, and its source. */
export const context = () => ({ visitor: fields[VISITS], source: fields[SOURCE] });

/** Mark a code; return true the first time in this session. `save` writes the mark. @param {string} code */
export const isFirst = (code) => {
  const mark = `~${code}`;
  if (has(MARKS, mark)) return false;
  append(MARKS, mark, MAX_MARKS);
  return true;
};

/**
 * @param {any} experiment
 * @param {{ id: string }} variation
 */
const entryOf = (experiment, { id }) => `~${encode(stateOf(experiment))}-${codeOf(id)}`;

/**
 * Variations seen before, by seed. Those of ended experiments are removed from the cookie.
 * @param {Experiment[]} experiments
 */
export const sticky = (experiments) => {
  /** @type {Record<string, string>} */
  const seen = record();
  let live = '';
  if (!fields[STICKY]) return seen;
  collect(experiments, (experiment) => {
    for (const variation of experiment.variations) {
      const entry = entryOf(experiment, variation);
      if (!has(STICKY, entry)) continue;
      seen[seedOf(experiment)] = variation.id;
      live += entry;
    }
  });
  fields[STICKY] = live;
  return seen;
};

/** Remove the sticky assignments of an experiment. @param {any} experiment */
export const dropSticky = (experiment) => {
  fields[STICKY] = fields[STICKY].replace(new RegExp(`~${encode(stateOf(experiment))}-\\w+`, 'g'), '');
};

/** Store a new sticky assignment. @param {Decision} decision */
export const keep = ({ experiment, variation }) => {
  parts._dropKept?.(experiment);
  append(STICKY, entryOf(experiment, variation), MAX_STICKY);
};
