import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesOf } from '../../shared/abtest/storefront/src/attributes.js';
import {
  browserAttributes,
  describeBrowser,
  parseCookies,
  trafficSourceOf,
} from '../../shared/abtest/storefront/src/browser_attributes.js';
import { parts } from '../../shared/abtest/storefront/src/parts.js';
import { openVisit, resume } from '../../shared/abtest/storefront/src/visit.js';
import { isDark, localTime } from '../../shared/abtest/storefront/src/weekdays.js';

const noon = Date.parse('2025-07-21T12:05:00Z'); // a Monday, in summer time
const plain = (value) => JSON.parse(JSON.stringify(value));

test('attributes are derived from who, where and when', () => {
  const address = new URL('https://shop.example/a?q=1&q=2&utm_source=mail&utm_=x&__proto__=y');
  const found = attributesOf({ id: 'v', customer_id: 'c' }, address, ['Europe/Berlin', 'No/Where'], noon);
  assert.deepEqual(Object.keys(found.query), ['q', 'utm_source', 'utm_', '__proto__']);
  assert.deepEqual(plain({ ...found, query: found.query.q }), {
    id: 'v',
    customer_id: 'c',
    logged_in: true,
    url: address.href,
    query: '1',
    utm: { source: 'mail', '': 'x' },
    local: { 'Europe/Berlin': { day: 'monday', hour: 14, time: '14:05' } },
  });
});

test('what is given wins, and its getters are not called before they are asked for', () => {
  let calls = 0;
  const given = {
    url: 'mine',
    get cookie() {
      calls++;
      return { a: 1 };
    },
  };
  const found = attributesOf({ attributes: given }, new URL('https://a.example/'), [], noon);
  assert.deepEqual([found.url, found.logged_in, calls], ['mine', false, 0]);
  assert.deepEqual(found.cookie, { a: 1 });
});

const times = [
  ['Europe/Berlin', '2025-12-21T23:30:00Z', 'monday', 0, '00:30'],
  ['America/New_York', '2025-12-22T04:59:00Z', 'sunday', 23, '23:59'],
  ['Asia/Kathmandu', '2025-12-22T00:00:00Z', 'monday', 5, '05:45'],
  ['UTC', '1969-12-31T23:59:59Z', 'wednesday', 23, '23:59'],
];
for (const [zone, at, day, hour, time] of times) {
  test(`${at} in ${zone} is ${day} ${time}`, () =>
    assert.deepEqual(localTime(zone, Date.parse(at)), { day, hour, time }));
}

test('an unknown zone, or time, has no local time and no dark days', () => {
  assert.equal(localTime('No/Where', noon), undefined);
  assert.equal(localTime('UTC', Number.NaN), undefined);
  assert.equal(isDark({ days: ['monday'], zone: 'No/Where' }, noon), false);
  assert.equal(isDark({ days: ['monday'], zone: 'UTC' }, noon), true);
  assert.equal(isDark({ days: ['sunday'], zone: 'UTC' }, noon), false);
});

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15';
const agents = [
  [WINDOWS, 0, 'desktop chrome windows'],
  [`${WINDOWS} Edg/130.0`, 10, 'desktop edge windows'],
  [MAC, 0, 'desktop safari macos'],
  [MAC, 5, 'tablet safari ios'],
  ['(iPhone; CPU iPhone OS 17_0 like Mac OS X) CriOS/120.0 Mobile/15E148 Safari/604.1', 5, 'mobile chrome ios'],
  ['(iPad; CPU OS 12_0 like Mac OS X) Version/12.0 Mobile/15E148 Safari/604.1', 5, 'tablet safari ios'],
  ['(Linux; Android 14; SM-S911B) SamsungBrowser/23.0 Chrome/115.0 Mobile Safari/537.36', 5, 'mobile samsung android'],
  ['(Linux; Android 14; SM-X710) Chrome/130.0 Safari/537.36', 5, 'tablet chrome android'],
  ['(Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 5, 'mobile firefox android'],
  ['(X11; CrOS x86_64 14541.0.0) Chrome/130.0 Safari/537.36', 0, 'desktop chrome chromeos'],
  ['(X11; Linux x86_64) Chrome/130.0 Safari/537.36 OPR/115.0', 0, 'desktop opera linux'],
  ['curl/8.0', 0, 'desktop other other'],
];
for (const [userAgent, maxTouchPoints, expected] of agents) {
  test(`${userAgent} with ${maxTouchPoints} touch points is ${expected}`, () => {
    const { device, browser, os } = describeBrowser({ userAgent, maxTouchPoints });
    assert.equal(`${device} ${browser} ${os}`, expected);
  });
}

const sources = [
  ['', '', 'direct'],
  ['?a=1', 'https://shop.example/x', 'internal'],
  ['', 'https://www.google.de/', 'search'],
  ['', 'https://duckduckgo.com/', 'search'],
  ['', 'https://mail.google.com/', 'email'],
  ['', 'https://l.facebook.com/', 'social'],
  ['', 'https://t.co/abc', 'social'],
  ['', 'https://best.example/', 'referral'],
  ['?gclid=x', 'https://www.google.de/', 'paid'],
  ['?utm_medium=CPC&utm_source=google', '', 'paid'],
  ['?utm_medium=email', 'https://best.example/', 'email'],
  ['?utm_source=Newsletter', '', 'email'],
  ['?utm_medium=paid_social', '', 'paid'],
  ['?utm_medium=organic-social', '', 'social'],
  ['?fbclid=x', '', 'social'],
  ['?utm_source=partner', '', 'referral'],
  ['?q=email', '', 'direct'],
  ['', 'nonsense', 'direct'],
];
for (const [search, referrer, expected] of sources) {
  test(`${search || 'no query'} from ${referrer || 'nowhere'} is ${expected}`, () =>
    assert.equal(trafficSourceOf(search, referrer, 'shop.example'), expected));
}

test('cookies are decoded, the first of a name counts, and damaged ones are taken as they are', () => {
  const found = parseCookies('a=1; b=x%20y; a=2; c=%; d; __proto__=e');
  assert.deepEqual(Object.entries(found), [
    ['a', '1'],
    ['b', 'x y'],
    ['c', '%'],
    ['d', ''],
    ['__proto__', 'e'],
  ]);
  assert.deepEqual(Object.keys(parseCookies('')), []);
});

test('cookies and data layer are looked at when they are asked for', () => {
  const globals = {
    screen: { width: 1, height: 2 },
    document: { referrer: '' },
    navigator: { userAgent: '' },
    location: { search: '' },
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value });
  const asked = [];
  parts._dataLayer = () => ({ n: asked.push('data') });
  openVisit({ cookie: 'n=1' });
  resume(noon);
  const found = attributesOf({ attributes: browserAttributes() }, new URL('https://a.example/'), [], noon);
  assert.deepEqual([found.visits, found.screen.width, asked], [1, 1, []]);
  assert.deepEqual([found.cookie.n, found.data_layer.n, asked], ['1', 1, ['data']]);
});
