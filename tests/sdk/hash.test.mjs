import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bucketOf, fold } from '../../shared/abtest/storefront/src/hash.js';

const lines = readFileSync(new URL('../data/conformance/hash.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');

for (const { id, inputs, expected } of lines.map((line) => JSON.parse(line))) {
  test(`conformance line ${id} falls into bucket ${expected.bucket}`, () => {
    assert.equal(bucketOf(inputs.value, fold(inputs.seed)), expected.bucket);
  });
}

test('folding goes on from the state a seed left', () => {
  assert.equal(fold('visitor', fold('seed')), fold('seedvisitor'));
});

test('the published vectors of FNV-1a hold', () => {
  assert.equal(fold(''), 0x811c9dc5);
  assert.equal(fold('a'), 0xe40c292c);
  assert.equal(fold('foobar'), 0xbf9cf968);
});

test('ids that share a prefix spread evenly over the buckets', () => {
  const tenths = new Array(10).fill(0);
  const state = fold('experiment');
  for (let i = 0; i < 20000; i++) tenths[Math.floor(bucketOf(`visitor-${i}`, state) / 1000)]++;
  for (const count of tenths) assert.ok(Math.abs(count - 2000) < 200, `${tenths}`);
});
