import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adopt } from '../../shared/abtest/storefront/src/adopting.js';
import '../../shared/abtest/storefront/src/audiences.js';
import { history } from '../../shared/abtest/storefront/src/browser_attributes.js';
import { codeOf, fold } from '../../shared/abtest/storefront/src/hash.js';
import { parts } from '../../shared/abtest/storefront/src/parts.js';
import { hop } from '../../shared/abtest/storefront/src/redirect.js';
import * as visit from '../../shared/abtest/storefront/src/visit.js';

/** A cookie jar as browsers keep one: reading gives pairs, writing takes one with attributes. */
const createJar = (text = '') => ({
  writes: 0,
  attributes: '',
  get cookie() {
    return text;
  },
  set cookie(value) {
    const [pair, ...rest] = value.split(';');
    text = `other=1; ${pair}`;
    this.attributes = rest.join(';');
    this.writes++;
  },
});

globalThis.location = { hostname: 'shop.example', protocol: 'https:', search: '' };
globalThis.document = { referrer: '' };

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const REFERRERS = { direct: '', search: 'https://www.google.com/', email: 'https://mail.example/' };

/** A page with this jar; only the page that was opened last goes on. */
const open = (jar, at = 0) => {
  visit.openVisit(jar);
  visit.resume(at);
  return { ...visit, visitorId: visit.fields[visit.VISITOR], sessionId: visit.fields[visit.SESSION] };
};

/** A page view to which the visitor came from elsewhere, or by the page's own navigation. */
const arrive = (from) => {
  document.referrer = REFERRERS[from];
  if (from !== 'internal') parts._land();
  visit.count(visit.PAGES);
  parts._arrive();
};

test('a new visitor gets 128 random bits, kept in a first-party cookie', () => {
  const jar = createJar();
  const { visitorId, save } = open(jar);
  save();
  assert.match(visitorId, /^[0-9a-f]{32}$/);
  assert.equal(jar.attributes, ' path=/; samesite=lax; secure; max-age=34560000');
  assert.equal(open(jar).visitorId, visitorId);
});

test('a session lasts over thirty minutes of activity and not over thirty of silence', () => {
  const jar = createJar();
  const first = open(jar);
  visit.save();
  const second = open(jar, 29 * MINUTE);
  visit.save();
  assert.equal(second.sessionId, first.sessionId);
  assert.equal(open(jar, 58 * MINUTE).sessionId, first.sessionId);
  const late = open(jar, 60 * MINUTE);
  assert.notEqual(late.sessionId, first.sessionId);
  assert.equal(late.visitorId, first.visitorId);
});

test('something is first once a session, also after a reload', () => {
  const jar = createJar();
  open(jar);
  assert.equal(visit.isFirst(codeOf('goal:1')), true);
  assert.equal(visit.isFirst(codeOf('goal:1')), false);
  assert.equal(visit.isFirst(codeOf('goal:2')), true);
  visit.save();
  assert.equal(open(jar, MINUTE).isFirst(codeOf('goal:2')), false);
  assert.equal(open(jar, 90 * MINUTE).isFirst(codeOf('goal:1')), true);
});

test('the cookie stays small however much is counted', () => {
  const jar = createJar();
  open(jar);
  for (let i = 0; i < 1000; i++) visit.isFirst(codeOf(`goal:${i}`));
  visit.save();
  assert.ok(jar.cookie.length < 1500, `${jar.cookie.length}`);
  assert.equal(visit.isFirst(codeOf('goal:999')), false);
});

test('three redirects in ten seconds are enough', () => {
  const jar = createJar();
  const hopAt = (at) => {
    open(jar, at);
    return hop();
  };
  for (let i = 0; i < 3; i++) assert.equal(hopAt(1_000_000 + i * 1000), true);
  assert.equal(hopAt(1_004_000), false);
  assert.equal(hopAt(1_060_000), true);
});

test('without cookies nobody is redirected, and the visitor id lasts as long as the page', () => {
  const jar = {
    get cookie() {
      return '';
    },
    set cookie(_) {},
  };
  const { visitorId } = open(jar);
  visit.resume(MINUTE);
  assert.equal(visit.fields[visit.VISITOR], visitorId);
  assert.equal(hop(), false);
});

test('a damaged cookie is a new visitor', () => {
  assert.match(open(createJar('svc_v=<script>.x.y')).visitorId, /^[0-9a-f]{32}$/);
  assert.match(
    open(createJar('xsvc_v=0123456789abcdef0123456789abcdef.s.0..')).visitorId,
    /^(?!0123456789abcdef)/,
  );
});

const ID = '0123456789abcdef';
for (const [rest, isKept] of [
  ['.abc.....0.0.0.1.1', true],
  ['.abc.1-x.~a~b.~a-b.direct.0.0.0.1.1', true],
  ['.abc.1-x.~a~b.~a-b.direct.0.0.0.1', false],
  ['......0.0.0.1.1', false],
  [`.${'s'.repeat(33)}.....0.0.0.1.1`, false],
  ['.abc.%....0.0.0.1.1', false],
  ['', false],
]) {
  test(`a cookie that goes on with ${rest || 'nothing'} keeps the visitor${isKept ? ' and the session' : ''}`, () => {
    const { visitorId, sessionId, numberIn } = open(createJar(`a=1; svc_v=${ID}${rest}; b=2`));
    assert.equal(visitorId, ID);
    assert.equal(sessionId === 'abc', isKept);
    assert.equal(numberIn(visit.VISITS), 1);
  });
}

test('visits, days and pages are counted', () => {
  const jar = createJar();
  open(jar, DAY);
  arrive('search');
  assert.deepEqual(history(), {
    visitor: 'new',
    visits: 1,
    days_since_first_visit: 0,
    days_since_last_visit: undefined,
    pages_viewed: 1,
    traffic_source: 'search',
  });
  visit.save();
  open(jar, DAY + 5 * MINUTE);
  arrive('internal');
  assert.deepEqual([history().visits, history().pages_viewed], [1, 2]);
  visit.save();
  open(jar, 4 * DAY + MINUTE);
  arrive('direct');
  assert.deepEqual(history(), {
    visitor: 'returning',
    visits: 2,
    days_since_first_visit: 3,
    days_since_last_visit: 2,
    pages_viewed: 1,
    traffic_source: 'direct',
  });
});

test('a visit comes from where it began, or from the last campaign or site that led here', () => {
  open(createJar());
  const sourceAfter = (from) => {
    arrive(from);
    return history().traffic_source;
  };
  assert.deepEqual(['direct', 'internal', 'search', 'internal', 'direct', 'email'].map(sourceAfter), [
    'direct',
    'direct',
    'search',
    'search',
    'search',
    'email',
  ]);
});

test('a visit whose source no audience asks for keeps where it began, for the server to make sense of', () => {
  const jar = Object.assign(createJar(), { referrer: 'https://www.google.com/' });
  location.search = '?utm_source=news&gclid=a.b';
  open(jar, DAY);
  const began = '-https-www-google-com-utm_source-news-gclid-a-b';
  assert.deepEqual(visit.context(), { visitor: '1', source: began });
  visit.save();
  Object.assign(jar, { referrer: 'https://shop.example/' });
  location.search = '';
  open(jar, DAY + 5 * MINUTE);
  assert.deepEqual(visit.context(), { visitor: '1', source: began });
  visit.save();
  open(jar, 2 * DAY);
  assert.deepEqual(visit.context(), { visitor: '2', source: '-https-shop-example-' });
  open(Object.assign(createJar(), { referrer: '' }));
  assert.deepEqual(visit.context().source, '-');
  open(Object.assign(createJar(), { referrer: `https://a.example/${'x.'.repeat(500)}` }));
  assert.equal(visit.context().source.length, 100);
});

test('where audiences ask for the source, its name takes the place of where the visit began', () => {
  open(Object.assign(createJar(), { referrer: 'https://www.google.com/' }));
  arrive('search');
  assert.equal(visit.context().source, 'search');
  open(Object.assign(createJar(), { referrer: 'https://www.google.com/' }));
  arrive('internal');
  assert.equal(visit.context().source, 'internal');
});

const decisionOf = (n, variation = 'v1', epoch = 1) => {
  const variations = ['v0', 'v1'].map((id) => ({ id }));
  const id = `experiment-${n}`;
  const seed = epoch > 1 ? `${id}:${epoch}` : id;
  return { experiment: { id, epoch, state: fold(seed), variations }, variation: { id: variation } };
};

test('variations are kept over visits', () => {
  const jar = createJar();
  open(jar);
  visit.keep(decisionOf(1));
  visit.keep(decisionOf(2, 'v0', 3));
  visit.save();
  const next = open(jar, 30 * DAY);
  const { experiment } = decisionOf(2, 'v0', 3);
  assert.deepEqual({ ...next.sticky([decisionOf(1).experiment, experiment]) }, {
    'experiment-1': 'v1',
    'experiment-2:3': 'v0',
  });
});

test('variations of experiments that have ended, and variations that are gone, are forgotten', () => {
  const jar = createJar();
  open(jar);
  for (const n of [1, 2, 3]) visit.keep(decisionOf(n));
  const [one, two] = [decisionOf(1).experiment, decisionOf(2).experiment];
  two.variations.pop();
  assert.deepEqual({ ...visit.sticky([one, two]) }, { 'experiment-1': 'v1' });
  visit.save();
  assert.deepEqual({ ...open(jar).sticky([1, 2, 3].map((n) => decisionOf(n).experiment)) }, { 'experiment-1': 'v1' });
});

test('the whole cookie stays under 3.5 KB with everything in it', () => {
  const jar = Object.assign(createJar(), { referrer: `https://a.example/${'x'.repeat(500)}` });
  open(jar);
  for (let i = 0; i < 1000; i++) {
    visit.isFirst(codeOf(`goal:${i}`));
    visit.keep(decisionOf(i));
  }
  hop();
  visit.save();
  assert.ok(jar.cookie.length < 3500, `${jar.cookie.length}`);
  const kept = Object.keys(visit.sticky(Array.from({ length: 1000 }, (_, n) => decisionOf(n).experiment)));
  assert.ok(kept.length > 120, `${kept.length}`);
  assert.ok(kept.includes('experiment-999'));
});

test('who is handed over leaves another\'s session and history, and brings what was seen elsewhere', () => {
  const jar = createJar();
  const other = open(jar, DAY);
  visit.isFirst(codeOf('goal:1'));
  visit.keep(decisionOf(1, 'v0'));
  visit.save();
  adopt('0123456789abcdef', `~${fold('experiment-1').toString(36)}-${fold('v1').toString(36)}`);
  visit.resume(DAY);
  assert.equal(visit.fields[visit.VISITOR], '0123456789abcdef');
  assert.notEqual(visit.fields[visit.SESSION], other.sessionId);
  assert.equal(visit.isFirst(codeOf('goal:1')), true);
  assert.deepEqual({ ...visit.sticky([decisionOf(1).experiment]) }, { 'experiment-1': 'v1' });
  visit.save();
  assert.equal(open(jar, DAY).visitorId, '0123456789abcdef');
});

test('what was seen elsewhere takes the place of what was seen here', () => {
  open(createJar());
  visit.keep(decisionOf(1, 'v0'));
  visit.keep(decisionOf(2, 'v0'));
  adopt(visit.fields[visit.VISITOR], `~${fold('experiment-1').toString(36)}-${fold('v1').toString(36)}`);
  visit.resume(0);
  const found = visit.sticky([1, 2].map((n) => decisionOf(n).experiment));
  assert.deepEqual({ ...found }, { 'experiment-1': 'v1', 'experiment-2': 'v0' });
});
