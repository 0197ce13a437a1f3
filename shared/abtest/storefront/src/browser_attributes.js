// Attributes that the browser provides without the page's help (docs/data-model.md, section 2.3).

import { record } from './lists.js';
import { parts } from './parts.js';
import { cookies, fields, FIRST, LAST, numberIn, PAGES, SEEN, SOURCE, VISITS } from './visit.js';

const DAY_SECONDS = 24 * 3600;

/** @typedef {[string, RegExp][]} Names the first one whose expression matches applies */

/**
 * @param {Names} names
 * @param {string} text
 */
const nameOf = (names, text) => {
  for (const [name, pattern] of names) if (pattern.test(text)) return name;
  return 'other';
};

/** Most user agents also name browsers that they imitate, so the order matters. @type {Names} */
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

/** Matched against `utm_medium utm_source` followed by the query. @type {Names} */
const CAMPAIGNS = [
  ['paid', /^(cp[acmv]|ppc|paid|display)|[?&]([gwd]braid|[gd]clid|msclkid)=/i],
  ['email', /^[^?]*(mail|newsletter)/i],
  ['social', /^[^?]*social|[?&]fbclid=/i],
  ['referral', /^[^?]*\w/],
];

/** Matched against the referrer's host. @type {Names} */
const HOSTS = [
  ['email', /(^|\.)(web)?mail\./],
  ['search', /(^|\.)(google|bing|yahoo|duckduckgo|ecosia|baidu|yandex|qwant|startpage)\./],
  ['social', /(^|\.)(facebook|instagram|pinterest|linkedin|tiktok|twitter|reddit|youtube|[tx]\.com?$)/],
  ['referral', /./],
  ['direct', /^/],
];

/**
 * Traffic source of a page load.
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
  // An iPad's user agent names a Macintosh, but no Mac has a touch screen.
  const agent = maxTouchPoints > 1 ? userAgent.replace('Macintosh', 'iPad') : userAgent;
  return { device: nameOf(DEVICES, agent), browser: nameOf(BROWSERS, agent), os: nameOf(SYSTEMS, agent) };
};

/** @param {string} text a cookie header */
export const parseCookies = (text) => {
  const values = record();
  for (const pair of text.split('; ')) {
    const [, name, value] = /^([^=]*)=?([^]*)$/.exec(pair) || [];
    if (!name || name in values) continue;
    try {
      values[name] = decodeURIComponent(value);
    } catch {
      values[name] = value;
    }
  }
  return values;
};

/** @param {number} field index of a time in the visit's cookie */
const daysSince = (field) => Math.floor((numberIn(SEEN) - numberIn(field)) / DAY_SECONDS);

/** Attributes from the visit's cookie. */
export const history = () => ({
  visitor: numberIn(VISITS) > 1 ? 'returning' : 'new',
  visits: numberIn(VISITS),
  days_since_first_visit: daysSince(FIRST),
  days_since_last_visit: numberIn(LAST) ? daysSince(LAST) : undefined,
  pages_viewed: numberIn(PAGES),
  traffic_source: fields[SOURCE],
});

/** Current attributes. Cookies and data layer are read when a condition uses them. */
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
