import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../../shared/abtest/storefront/src/hash.js';
import { createVisit } from '../../shared/abtest/storefront/src/visit.js';

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

const MINUTE = 60_000;
const open = (jar, at = 0) => {
  const visit = createVisit(jar, true);
  visit.resume(at);
  return visit;
};

test('a new visitor gets 128 random bits, kept in a first-party cookie', () => {
  const jar = createJar();
  const visit = open(jar);
  visit.save();
  assert.match(visit.visitorId(), /^[0-9a-f]{32}$/);
  assert.equal(jar.attributes, ' path=/; samesite=lax; secure; max-age=34560000');
  assert.equal(open(jar).visitorId(), visit.visitorId());
});

test('a session lasts over thirty minutes of activity and not over thirty of silence', () => {
  const jar = createJar();
  const first = open(jar);
  first.save();
  const second = open(jar, 29 * MINUTE);
  second.save();
  assert.equal(second.sessionId(), first.sessionId());
  assert.equal(open(jar, 58 * MINUTE).sessionId(), first.sessionId());
  const late = open(jar, 60 * MINUTE);
  assert.notEqual(late.sessionId(), first.sessionId());
  assert.equal(late.visitorId(), first.visitorId());
});

test('something is first once a session, also after a reload', () => {
  const jar = createJar();
  const visit = open(jar);
  assert.equal(visit.first('goal:1'), true);
  assert.equal(visit.first('goal:1'), false);
  assert.equal(visit.first('goal:2'), true);
  visit.save();
  assert.equal(open(jar, MINUTE).first('goal:2'), false);
  assert.equal(open(jar, 90 * MINUTE).first('goal:1'), true);
});

test('the cookie stays small however much is counted', () => {
  const jar = createJar();
  const visit = open(jar);
  for (let i = 0; i < 1000; i++) visit.first(`goal:${i}`);
  visit.save();
  assert.ok(jar.cookie.length < 1500, `${jar.cookie.length}`);
  assert.equal(visit.first('goal:999'), false);
});

test('three redirects in ten seconds are enough', () => {
  const jar = createJar();
  for (let i = 0; i < 3; i++) assert.equal(open(jar, 1_000_000 + i * 1000).hop(), true);
  assert.equal(open(jar, 1_004_000).hop(), false);
  assert.equal(open(jar, 1_060_000).hop(), true);
});

test('without cookies nobody is redirected, and the visitor id lasts as long as the page', () => {
  const visit = createVisit(
    {
      get cookie() {
        return '';
      },
      set cookie(_) {},
    },
    false,
  );
  visit.resume(0);
  const id = visit.visitorId();
  visit.resume(MINUTE);
  assert.equal(visit.visitorId(), id);
  assert.equal(visit.hop(), false);
});

test('a damaged cookie is a new visitor', () => {
  assert.match(open(createJar('svc_v=<script>.x.y')).visitorId(), /^[0-9a-f]{32}$/);
  assert.match(
    open(createJar('xsvc_v=0123456789abcdef0123456789abcdef.s.0..')).visitorId(),
    /^(?!0123456789abcdef)/,
  );
});

const DAY = 24 * 60 * MINUTE;

test('visits, days and pages are counted', () => {
  const jar = createJar();
  const first = open(jar, DAY);
  first.arrive('search');
  assert.deepEqual(first.history(), {
    visitor: 'new',
    visits: 1,
    days_since_first_visit: 0,
    days_since_last_visit: undefined,
    pages_viewed: 1,
    traffic_source: 'search',
  });
  first.save();
  const next = open(jar, DAY + 5 * MINUTE);
  next.arrive('internal');
  assert.deepEqual([next.history().visits, next.history().pages_viewed], [1, 2]);
  next.save();
  const later = open(jar, 4 * DAY + MINUTE);
  later.arrive('direct');
  assert.deepEqual(later.history(), {
    visitor: 'returning',
    visits: 2,
    days_since_first_visit: 3,
    days_since_last_visit: 2,
    pages_viewed: 1,
    traffic_source: 'direct',
  });
});

test('a visit comes from where it began, or from the last campaign or site that led here', () => {
  const visit = open(createJar());
  const sourceAfter = (from) => {
    visit.arrive(from);
    return visit.history().traffic_source;
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

const decisionOf = (n, variation = 'v1', epoch = 1) => {
  const variations = ['v0', 'v1'].map((id) => ({ id }));
  const id = `experiment-${n}`;
  const seed = epoch > 1 ? `${id}:${epoch}` : id;
  return { experiment: { id, epoch, state: fold(seed), variations }, variation: { id: variation } };
};

test('variations are kept over visits, the newest of each experiment', () => {
  const jar = createJar();
  const visit = open(jar);
  visit.keep(decisionOf(1, 'v0'));
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
  const visit = open(jar);
  for (const n of [1, 2, 3]) visit.keep(decisionOf(n));
  const [one, two] = [decisionOf(1).experiment, decisionOf(2).experiment];
  two.variations.pop();
  assert.deepEqual({ ...visit.sticky([one, two]) }, { 'experiment-1': 'v1' });
  visit.save();
  assert.deepEqual({ ...open(jar).sticky([1, 2, 3].map((n) => decisionOf(n).experiment)) }, { 'experiment-1': 'v1' });
});

test('the whole cookie stays under 3.5 KB with everything in it', () => {
  const jar = createJar();
  const visit = open(jar);
  for (let i = 0; i < 1000; i++) {
    visit.first(`goal:${i}`);
    visit.keep(decisionOf(i));
  }
  visit.arrive('internal');
  visit.hop();
  visit.save();
  assert.ok(jar.cookie.length < 3500, `${jar.cookie.length}`);
  const kept = Object.keys(visit.sticky(Array.from({ length: 1000 }, (_, n) => decisionOf(n).experiment)));
  assert.ok(kept.length > 120, `${kept.length}`);
  assert.ok(kept.includes('experiment-999'));
});
