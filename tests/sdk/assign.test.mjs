import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, variationIndexOf } from '../../shared/abtest/storefront/src/assign.js';
import { blockIndexOf } from '../../shared/abtest/storefront/src/blocks.js';
import { isBot } from '../../shared/abtest/storefront/src/bots.js';
import { readForce } from '../../shared/abtest/storefront/src/force.js';
import { bucketOf, fold } from '../../shared/abtest/storefront/src/hash.js';

const here = new URL('https://shop.example/item');
const nobody = readForce('');
const elsewhere = { mode: 'any', in: [{ include: [{ path: '\\/?cart\\/?' }] }], out: [] };

const experimentWith = (ranges, more = {}) => ({
  id: 'e1',
  name: 'Headline',
  type: 'mutation',
  epoch: 1,
  state: fold('e1'),
  variations: ranges.map((range, i) => ({ id: `v${i}`, name: `V${i}`, range })),
  ...more,
});

test('a visitor falls into the range that holds the bucket', () => {
  const bucket = bucketOf('anna', fold('e1'));
  assert.equal(
    variationIndexOf(
      experimentWith([
        [0, bucket],
        [bucket, 10000],
      ]),
      'anna',
    ),
    1,
  );
  assert.equal(
    variationIndexOf(
      experimentWith([
        [0, bucket + 1],
        [bucket + 1, 10000],
      ]),
      'anna',
    ),
    0,
  );
  assert.equal(
    variationIndexOf(
      experimentWith([
        [0, bucket],
        [bucket + 1, 10000],
      ]),
      'anna',
    ),
    -1,
  );
});

test('raising the traffic moves nobody who is in', () => {
  const half = experimentWith([
    [0, 2500],
    [5000, 7500],
  ]);
  const full = experimentWith([
    [0, 5000],
    [5000, 10000],
  ]);
  for (let i = 0; i < 2000; i++) {
    const before = variationIndexOf(half, `v${i}`);
    if (before >= 0) assert.equal(variationIndexOf(full, `v${i}`), before);
  }
});

test('a page that the rules leave out keeps the assignment and shows nothing', () => {
  const [decision] = decide([experimentWith([[0, 10000]], { pages: elsewhere })], 'anna', here, nobody);
  assert.equal(decision.variation.id, 'v0');
  assert.equal(decision.active, false);
});

test('force comes before bucket and targeting, and concerns one experiment', () => {
  const force = readForce('?svc_qa=1&svc_experiment_id=e1&svc_variation_id=v1');
  const other = { ...experimentWith([[0, 10000]]), id: 'e2' };
  const forced = experimentWith(
    [
      [0, 10000],
      [10000, 10000],
    ],
    { pages: elsewhere },
  );
  const [first, second] = decide([forced, other], 'anna', here, force);
  assert.deepEqual([first.variation.id, first.forced, first.active, first.index], ['v1', true, true, 1]);
  assert.deepEqual([second.variation.id, second.forced], ['v0', false]);
});

test('forcing a variation that is not there leaves the visitor where the bucket says', () => {
  const force = readForce('?svc_qa=1&svc_experiment_id=e1&svc_variation_id=gone');
  assert.equal(decide([experimentWith([[0, 10000]])], 'anna', here, force)[0].forced, false);
});

test('ids without svc_qa force nothing', () => {
  assert.deepEqual(readForce('?svc_experiment_id=e1&svc_variation_id=v1'), {
    qa: false,
    experimentId: null,
    variationId: null,
  });
});

test('an experiment that cannot be read harms no other', () => {
  const broken = experimentWith([[0, 10000]], { pages: { in: [{ include: [{ re: '(' }] }] } });
  const decisions = decide([broken, { ...experimentWith([[0, 10000]]), id: 'e2' }], 'anna', here, nobody);
  assert.deepEqual(
    decisions.map(({ experiment }) => experiment.id),
    ['e2'],
  );
});

test('the first block that matches wins, none falls back to the flat fields', () => {
  const on = (path) => ({ rules: { include: [{ path }] } });
  const variation = (...blocks) => ({ id: 'v', name: 'V', range: [0, 10000], blocks });
  assert.equal(blockIndexOf(variation(on('\\/cart'), on('\\/item'), on('[^]*')), here), 1);
  assert.equal(blockIndexOf(variation(on('\\/cart')), here), -1);
  assert.equal(blockIndexOf({ id: 'v', name: 'V', range: [0, 10000] }, here), -1);
});

const agents = [
  ['Mozilla/5.0 (compatible; Googlebot/2.1)', true],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0', true],
  ['Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/100.0 Mobile', false],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15', false],
];
for (const [userAgent, expected] of agents) {
  test(`${userAgent} is ${expected ? 'a bot' : 'a shopper'}`, () =>
    assert.equal(isBot({ userAgent }), expected));
}

test('a driven browser is a bot', () =>
  assert.equal(isBot({ webdriver: true, userAgent: 'Mozilla/5.0' }), true));
