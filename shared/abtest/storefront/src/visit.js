// Who visits, and since when: visitor id, session, what was counted in it and seen before, in one first-party cookie:
// `svc_v = visitor.session.hops.marks.sticky.source.seen.first.last.visits.pages`. The visitor id stands first, where
// the edge reads it too; marks are `~key`, sticky assignments `~state-variation`, all hashes; times are in seconds.

import { collect, seedOf, stateOf } from './decide.js';
import { codeOf, encode } from './hash.js';
import { record } from './lists.js';
import { parts } from './parts.js';

/** @import { Decision, Experiment } from './types' */

/** Places of the cookie's fields. */
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

/** What any script of the origin may have written: the id alone counts where the rest has another form. */
const FORM = /(?:^|; )svc_v=([\w-]{16,64}(?:\.\w{1,32}(?:\.[~\w-]*){9})?)(?=[.;]|$)/g;
const SESSION_SECONDS = 30 * 60;
const KEEP_SECONDS = 400 * 24 * 3600;
/** Characters, eight a mark and sixteen a sticky assignment: with everything else the cookie stays under 3.5 KB. */
const MAX_MARKS = 1200;
export const MAX_STICKY = 2000;

/** Characters of what is known of a visit's source. */
const MAX_SOURCE = 100;

/** Where the cookie is kept: `document`, or a stand-in. @type {{ cookie: string, referrer?: string }} */
let jar;
/** That the visitor is shared with: hosts under it have the same cookie. */
export let domain = '';

/** @param {string} to */
export const setDomain = (to) => {
  domain = to;
};

/** All cookies, as they were when they were last read. */
export let cookies = '';
/** As in the cookie, of which there may be none. @type {string[]} */
export let fields;

/** Nobody yet, or another. @param {string} visitorId */
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
 * Adds an entry to a list. What the list has no room for is cut off in front, and goes whole.
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
 * The fields of the cookie; none where there is none, the id alone where the rest has another form. A page may have
 * several, of domains above it or of a path: of those the one that was written last, as we can write only one.
 */
export const readCookie = () => {
  let found = [''];
  cookies = jar.cookie;
  for (const [, value] of cookies.matchAll(FORM)) {
    const each = value.split('.');
    if (!found[SEEN] || each[SEEN] >= found[SEEN]) found = each;
  }
  return found;
};

/**
 * @param {string} value
 * @param {number} seconds
 */
export const writeCookie = (value, seconds) => {
  const attributes = `${domain && `; domain=${domain}`}${location.protocol === 'https:' ? '; secure' : ''}`;
  jar.cookie = `svc_v=${value}; path=/; samesite=lax${attributes}; max-age=${seconds}`;
};

/** Reads the cookie and goes on with its session, or starts one. @param {number} ms */
export const resume = (ms) => {
  const at = Math.floor(ms / 1000);
  const found = parts._readShared?.() || readCookie();
  if (found[SESSION]) fields = found;
  fields[VISITOR] = found[VISITOR] || fields[VISITOR] || randomId();
  parts._adopt?.();
  if (!fields[SESSION] || Math.abs(at - numberIn(SEEN)) > SESSION_SECONDS) {
    fields[SESSION] = randomId().slice(16);
    fields[MARKS] = fields[PAGES] = '';
    // The server makes sense of it; where audiences ask, they put the name of the source in its place.
    fields[SOURCE] = ` ${jar.referrer}${location.search}`.replace(/\W+/g, '-').slice(0, MAX_SOURCE);
    fields[LAST] = fields[SEEN];
    count(VISITS);
  }
  fields[SEEN] = encode(at);
  fields[FIRST] ||= fields[SEEN];
};

export const save = () => {
  let value = '';
  for (const field of fields) value += (value && '.') + field;
  if (!fields[SESSION]) return; // it was forgotten meanwhile
  writeCookie(value, KEEP_SECONDS);
  parts._written?.(value);
};

/** What segments of results go by: which visit this is, and its source. */
export const context = () => ({ visitor: fields[VISITS], source: fields[SOURCE] });

/** True the first time in this session. The mark lasts when `save` writes it. @param {string} code of what is marked */
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
 * The variations seen before, by seed. Those of experiments that have ended are forgotten.
 * @param {Experiment[]} experiments
 */
export const sticky = (experiments) => {
  /** @type {Record<string, string>} */
  const found = record();
  let live = '';
  if (!fields[STICKY]) return found;
  collect(experiments, (experiment) => {
    for (const variation of experiment.variations) {
      const entry = entryOf(experiment, variation);
      if (!has(STICKY, entry)) continue;
      found[seedOf(experiment)] = variation.id;
      live += entry;
    }
  });
  fields[STICKY] = live;
  return found;
};

/** Keeps a variation that was not kept before. @param {Decision} decision */
export const keep = ({ experiment, variation }) => append(STICKY, entryOf(experiment, variation), MAX_STICKY);
