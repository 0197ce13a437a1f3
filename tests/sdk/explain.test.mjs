import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOf } from '../../shared/abtest/storefront/src/excerpts.js';
import { explain, explainStopped } from '../../shared/abtest/storefront/src/explain.js';
import { fold } from '../../shared/abtest/storefront/src/hash.js';

// That answers are Python's is held by tests/golden/test_explanations.py; these are about what only a browser has.

const here = new URL('https://shop.example/item');
const germans = { mode: 'any', in: [{ country: { $eq: 'DE' } }], out: [] };
const onEvent = { mode: 'any', in: [{ trigger: 'event:wish' }], out: [] };

const experimentWith = (more = {}) => ({
  id: 'e1',
  epoch: 1,
  state: fold('e1'),
  variations: [{ id: 'v0', range: [0, 10000] }],
  ...more,
});

const explained = (more, visitor) =>
  explain({ experiments: [experimentWith(more)] }, { id: 'anna', ...visitor }, here, 0).experiments[0];

test('a getter of the page that throws stops no other entry', () => {
  const attributes = {
    get country() {
      throw new Error('page');
    },
  };
  const config = { experiments: [experimentWith({ audience: germans }), experimentWith({ id: 'e2' }), null, 7] };
  const { experiments } = explain(config, { id: 'anna', attributes }, here, 0);
  assert.deepEqual(
    experiments.map(({ step }) => step),
    ['unreadable', 'assigned', 'unreadable', 'unreadable'],
  );
  const nothing = { step: 'unreadable', detail: {}, applied: false, assigned: null };
  assert.deepEqual(experiments[0], { id: 'e1', name: null, ...nothing });
});

test('values of a page that are no JSON become some, small ones', () => {
  const cycle = { name: 'x' };
  cycle.self = cycle;
  const broken = new Proxy({}, { ownKeys: () => { throw new Error('page'); } }); // prettier-ignore
  const values = [cycle, broken, () => 1, Symbol('s'), 10n, NaN, Infinity, undefined, new Date(0), 'x'.repeat(1e6)];
  for (const value of values) {
    const { value: shown } = explained({ audience: germans }, { attributes: { country: value } }).detail;
    assert.ok(JSON.stringify(shown).length < 3000);
  }
  assert.deepEqual(values.slice(2, 9).map(excerptOf).map((value) => JSON.stringify(value)), // prettier-ignore
    ['"function"', '"symbol"', '"10"', 'null', 'null', 'null', '{}']);
});

test('an excerpt never shares objects with what it was made of', () => {
  const days = ['monday'];
  const copied = excerptOf({ days });
  copied.days[0] = 'changed';
  assert.deepEqual(days, ['monday']);
});

test('a name of an object that means something to JavaScript is only a name', () => {
  const copied = excerptOf(JSON.parse('{"__proto__":{"polluted":1}}'));
  assert.equal(JSON.stringify(copied), '{"__proto__":{"polluted":1}}');
  assert.equal({}.polluted, undefined);
});

test('only triggers are asked that a decision asks, and only once each', () => {
  const asked = [];
  const fired = (trigger) => {
    asked.push(trigger);
    return false;
  };
  const entry = explained({ pages: onEvent }, { fired });
  assert.deepEqual([entry.step, entry.detail.trigger, asked], ['trigger', 'event:wish', ['event:wish']]);
  explained({ pages: onEvent, audience: germans }, { fired });
  explained({ pages: { ...onEvent, in: [{ include: [{ path: '\\/cart' }], trigger: 'event:other' }] } }, { fired });
  assert.deepEqual(asked, ['event:wish']);
});

test('for bots and without consent every entry has that step and nothing else', () => {
  const config = {
    experiments: [experimentWith({ name: 'Headline' })],
    personalizations: [{ id: 'p', key: 'winter' }, null],
    flags: [{ id: 'f', key: 'dark_mode', on: 1, off: 0 }],
  };
  for (const step of ['bot', 'consent']) {
    const { experiments, personalizations, flags } = explainStopped(config, step);
    const nothing = { step, detail: {}, applied: false, assigned: null };
    assert.deepEqual(experiments[0], { id: 'e1', name: 'Headline', ...nothing });
    assert.deepEqual(personalizations[0], { id: 'p', key: 'winter', name: null, ...nothing });
    assert.equal(personalizations[1].id, null);
    const off = { step, detail: {}, applied: false, value: null, reason: null };
    assert.deepEqual(flags[0], { id: 'f', key: 'dark_mode', ...off });
  }
  assert.deepEqual(explainStopped({ experiments: [] }, 'bot'), { experiments: [], personalizations: [], flags: [] });
});

test('array methods that a page has broken are not needed', () => {
  const { map, push } = Array.prototype;
  Object.assign(Array.prototype, { map: undefined, push: undefined });
  try {
    assert.equal(explained({ audience: germans }).step, 'audience');
  } finally {
    Object.assign(Array.prototype, { map, push });
  }
});
