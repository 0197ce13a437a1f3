// What a browser knows of its visitor without being told (docs/data-model.md, section 2.3).

import { lazily, record } from './lists.js';
import { keysOf } from './natives.js';

/**
 * The first name whose expression matches.
 * @param {[string, RegExp][]} names
 * @param {string} text
 */
const nameOf = (names, text) => {
  for (const [name, pattern] of names) if (pattern.test(text)) return name;
  return undefined;
};

/** In this order: most browsers name those that they want to be taken for. @type {[string, RegExp][]} */
const BROWSERS = [
  ['samsung', /SamsungBrowser/],
  ['edge', /Edg/],
  ['opera', /OPR|Opera/],
  ['firefox', /Firefox|FxiOS/],
  ['chrome', /Chrom|CriOS/],
  ['safari', /Safari/],
  ['other', /^/],
];

/** @type {[string, RegExp][]} */
const SYSTEMS = [
  ['windows', /Windows/],
  ['ios', /iP(hone|ad|od)/],
  ['android', /Android/],
  ['chromeos', /CrOS/],
  ['macos', /Mac/],
  ['linux', /Linux|X11/],
  ['other', /^/],
];

/** @type {[string, RegExp][]} */
const DEVICES = [
  ['tablet', /iPad|Android(?!.*Mobi)/],
  ['mobile', /Mobi|iP(hone|od)/],
  ['desktop', /^/],
];

/** By `utm_medium utm_source` and the query after it. @type {[string, RegExp][]} */
const CAMPAIGNS = [
  ['paid', /^(cp[acmv]|ppc|paid|display|retargeting)|[?&]([gwd]braid|[gd]clid|msclkid)=/i],
  ['email', /^[^?]*(mail|newsletter)/i],
  ['social', /^[^?]*social|[?&]fbclid=/i],
  ['referral', /^[^?]*\w/],
];

/** By the host that linked here. @type {[string, RegExp][]} */
const HOSTS = [
  ['email', /(^|\.)(web|e)?mail\.|^outlook\./],
  ['search', /(^|\.)(google|bing|yahoo|duckduckgo|ecosia|baidu|yandex|qwant|startpage|naver|seznam|brave)\./],
  ['social', /(^|\.)(facebook|instagram|pinterest|linkedin|tiktok|twitter|reddit|youtube|whatsapp|threads)\.\w+$/],
  ['social', /(^|\.)((x|t|vk)\.com?|lnkd\.in|youtu\.be)$/],
  ['referral', /./],
];

/** What our own cookie remembers. */
const HISTORY = [
  'visitor',
  'visits',
  'days_since_first_visit',
  'days_since_last_visit',
  'pages_viewed',
  'traffic_source',
];

/** @param {string} address */
const hostOf = (address) => {
  try {
    return new URL(address).hostname;
  } catch {
    return '';
  }
};

/**
 * Where a page's visitor comes from.
 * @param {string} search
 * @param {string} referrer
 * @param {string} ownHost
 */
export const trafficSourceOf = (search, referrer, ownHost) => {
  const query = new URLSearchParams(search);
  const host = hostOf(referrer);
  const campaign = nameOf(CAMPAIGNS, `${query.get('utm_medium') || ''} ${query.get('utm_source') || ''}${search}`);
  return campaign || (host && host === ownHost ? 'internal' : nameOf(HOSTS, host) || 'direct');
};

/**
 * @param {{ userAgent: string, maxTouchPoints?: number }} browser
 * @returns {Record<string, string | undefined>}
 */
export const describeBrowser = ({ userAgent, maxTouchPoints = 0 }) => {
  // An iPad says that it is a Mac, but no Mac is touched.
  const agent = maxTouchPoints > 1 ? userAgent.replace('Macintosh', 'iPad') : userAgent;
  return {
    device: nameOf(DEVICES, agent),
    browser: nameOf(BROWSERS, agent),
    os: nameOf(SYSTEMS, agent),
  };
};

/** @param {string} text a cookie header */
export const parseCookies = (text) => {
  const cookies = record();
  for (const pair of text.split('; ')) {
    const [, name, value] = /^([^=]*)=?([^]*)$/.exec(pair) || [];
    if (!name || name in cookies) continue;
    try {
      cookies[name] = decodeURIComponent(value);
    } catch {
      cookies[name] = value;
    }
  }
  return cookies;
};

/**
 * Attributes that are found out when a condition asks for them, over and over for those that change on a page.
 * @param {{ history(): Record<string, unknown>, cookies(): string }} visit
 * @param {() => Record<string, any>} dataLayer
 */
export const browserAttributes = (visit, dataLayer) => {
  const attributes = record();
  /** @type {Record<string, () => unknown>} */
  const makers = {
    language: () => navigator.language,
    screen: () => ({ width: screen.width, height: screen.height }),
    referrer: () => document.referrer,
    cookie: () => parseCookies(visit.cookies()),
    data_layer: dataLayer,
  };
  for (const name of ['device', 'browser', 'os']) makers[name] = () => describeBrowser(navigator)[name];
  for (const name of HISTORY) makers[name] = () => visit.history()[name];
  for (const name of keysOf(makers)) lazily(attributes, name, makers[name]);
  return attributes;
};
