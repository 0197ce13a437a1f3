import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../shared/abtest/storefront/src/json.js';
import { fitting, retryAfterMs, retryDelay } from '../../shared/abtest/storefront/src/transport.js';

test('Retry-After is seconds, and at most an hour', () => {
  assert.equal(retryAfterMs('3'), 3000);
  assert.equal(retryAfterMs(null), 0);
  assert.equal(retryAfterMs('soon'), 0);
  assert.equal(retryAfterMs('-5'), 0);
  assert.equal(retryAfterMs('999999'), 3_600_000);
});

test('the back-off has full jitter under a cap that rises from one to sixty seconds', () => {
  for (const [attempt, cap] of [
    [0, 1000],
    [3, 8000],
    [6, 60_000],
    [40, 60_000],
  ]) {
    const delays = Array.from({ length: 400 }, () => retryDelay(attempt));
    assert.ok(
      Math.max(...delays) <= cap && Math.max(...delays) > cap * 0.9,
      `${attempt}: ${Math.max(...delays)}`,
    );
    assert.ok(Math.min(...delays) < cap * 0.1);
  }
});

test('no retry comes before the server wishes', () => {
  for (let i = 0; i < 50; i++) assert.ok(retryDelay(0, '7') >= 7000);
});

test('a request is bounded by number and by bytes', () => {
  const texts = new Array(10).fill('x'.repeat(99));
  assert.equal(fitting(texts, 100, 10_000).length, 10);
  assert.equal(fitting(texts, 4, 10_000).length, 4);
  assert.equal(fitting(texts, 100, 350).length, 3);
  assert.equal(fitting([], 100, 350).length, 0);
});

test('what does not fit holds back what follows', () => {
  assert.deepEqual(fitting(['a', 'b'.repeat(10), 'c'], 100, 8), ['a']);
});

const values = [
  null,
  true,
  -1.5e300,
  'a"b\\c\n\u2028é😀\ud800',
  [],
  {},
  [1, [2, { a: [null] }]],
  { é: 1, b: { c: 'd' } },
  { drop: undefined, keep: null, fn() {} },
  [undefined, () => 1],
  Number.NaN,
  [Number.POSITIVE_INFINITY],
  '',
];
for (const value of values) {
  test(`${JSON.stringify(value)} is written as JSON.stringify would, in ASCII`, () => {
    assert.deepEqual(JSON.parse(toJson(value)), JSON.parse(JSON.stringify(value)));
    assert.match(toJson(value), /^[\x20-\x7e]*$/);
  });
}

test('dates are written as text, cycles end, big integers survive', () => {
  assert.equal(toJson(new Date(0)), '"1970-01-01T00:00:00.000Z"');
  const loop = {};
  loop.loop = loop;
  assert.ok(JSON.parse(toJson(loop)));
  assert.equal(toJson(12345678901234567890n), '"12345678901234567890"');
});
