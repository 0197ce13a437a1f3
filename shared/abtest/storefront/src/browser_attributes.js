// What a browser knows of its visitor without being told (docs/data-model.md, section 2.3).

import { record } from './lists.js';
import { parts } from './parts.js';
import { cookies, fields, FIRST, LAST, numberIn, PAGES, SEEN, SOURCE, VISITS } from './visit.js';

const DAY_SECONDS = 24 * 3600;

/** @typedef {[string, RegExp][]} Names the first whose expression matches */

/**
 * @param {Names} names
 * @param {string} text
 */
const nameOf = (names, text) => {
  for (const [name, pattern] of names) if (pattern.test(text)) return name;
  return 'other';
};

/** Most browsers also name those that they want to be taken for. @type {Names} */
const BROWSERS = [
  ['samsung', /SamsungBrowser/],
  ['edge', /Edg/],
  ['opera', /OPR|Opera/],
  ['firefox', /Firefox|FxiOS/],
  ['chrome', /Chrom|CriOS/],
  ['safari', /Safari/],
];

/** @type {Names} */
const SYSTEMS = [
  ['windows', /Windows/],
  ['ios', /iP(hone|ad|od)/],
  ['android', /Android/],
  ['chromeos', /CrOS/],
  ['macos', /Mac/],
  ['linux', /Linux|X11/],
];

/** @type {Names} */
const DEVICES = [
  ['tablet', /iPad|Android(?!.*Mobi)/],
  ['mobile', /Mobi|iP(hone|od)/],
  ['desktop', /^/],
];

/** By `utm_medium utm_source` and the query after it. @type {Names} */
const CAMPAIGNS = [
  ['paid', /^(cp[acmv]|ppc|paid|display)|[?&]([gwd]braid|[gd]clid|msclkid)=/i],
  ['email', /^[^?]*(mail|newsletter)/i],
  ['social', /^[^?]*social|[?&]fbclid=/i],
  ['referral', /^[^?]*\w/],
];

/** By the host that linked here. @type {Names} */
const HOSTS = [
  ['email', /(^|\.)(web)?mail\./],
  ['search', /(^|\.)(google|bing|yahoo|duckduckgo|ecosia|baidu|yandex|qwant|startpage)\./],
  ['social', /(^|\.)(facebook|instagram|pinterest|linkedin|tiktok|twitter|reddit|youtube|[tx]\.com?$)/],
  ['referral', /./],
  ['direct', /^/],
];

/**
 * Where a page's visitor comes from.
 * @param {string} search
 * @param {string} referrer
 * @param {string} ownHost
 */
export const trafficSourceOf = (search, referrer, ownHost) => {
  const query = new URLSearchParams(search);
  const campaign = nameOf(CAMPAIGNS, `${query.get('utm_medium') || ''} ${query.get('utm_source') || ''}${search}`);
  if (campaign !== 'other') return campaign;
  const [, host = ''] = /^https?:\/\/([^/:]*)/.exec(referrer) || [];
  return host && host === ownHost ? 'internal' : nameOf(HOSTS, host);
};

/** @param {{ userAgent: string, maxTouchPoints?: number }} browser */
export const describeBrowser = ({ userAgent, maxTouchPoints = 0 }) => {
  // An iPad says that it is a Mac, but no Mac is touched.
  const agent = maxTouchPoints > 1 ? userAgent.replace('Macintosh', 'iPad') : userAgent;
  return { device: nameOf(DEVICES, agent), browser: nameOf(BROWSERS, agent), os: nameOf(SYSTEMS, agent) };
};

/** @param {string} text a cookie header */
export const parseCookies = (text) => {
  const found = record();
  for (const pair of text.split('; ')) {
    const [, name, value] = /^([^=]*)=?([^]*)$/.exec(pair) || [];
    if (!name || name in found) continue;
    try {
      found[name] = decodeURIComponent(value);
    } catch {
      found[name] = value;
    }
  }
  return found;
};

/** @param {number} field of the cookie that holds a time */
const daysSince = (field) => Math.floor((numberIn(SEEN) - numberIn(field)) / DAY_SECONDS);

/** What the visit's cookie tells. */
export const history = () => ({
  visitor: numberIn(VISITS) > 1 ? 'returning' : 'new',
  visits: numberIn(VISITS),
  days_since_first_visit: daysSince(FIRST),
  days_since_last_visit: numberIn(LAST) ? daysSince(LAST) : undefined,
  pages_viewed: numberIn(PAGES),
  traffic_source: fields[SOURCE],
});

/** What is known now. Cookies and data layer are looked at when a condition asks for them. */
export const browserAttributes = () => {
  const { width, height } = screen;
  return {
    ...describeBrowser(navigator),
    ...history(),
    language: navigator.language,
    referrer: document.referrer,
    screen: { width, height },
    get cookie() {
      return parseCookies(cookies);
    },
    get data_layer() {
      return parts._dataLayer?.();
    },
  };
};
