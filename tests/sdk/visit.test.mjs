import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.match(jar.attributes, /path=\/; max-age=34560000; samesite=lax; secure/);
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
