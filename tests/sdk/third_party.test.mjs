// Third-party cases of what only browsers do: reading wishes from an address, and leaving for another. The others are
// asked of both languages by tests/unit/third_party.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decide } from '../../shared/abtest/storefront/src/decide.js';
import { readForce } from '../../shared/abtest/storefront/src/force.js';
import { bucketOf, fold } from '../../shared/abtest/storefront/src/hash.js';
import { destinationOf } from '../../shared/abtest/storefront/src/redirect.js';
import '../../shared/abtest/storefront/src/sdk.js'; // every part
import { compileSimple } from '../../shared/abtest/storefront/tools/compile_pattern.mjs';

const all = JSON.parse(readFileSync(new URL('../data/growthbook/cases.json', import.meta.url), 'utf8'));
const now = Date.parse('2025-12-22T12:00:00Z');
const visitor = { id: '1' };

test('the published cases are so many', () =>
  assert.deepEqual([all.getQueryStringOverride.length, all.urlRedirect.length], [16, 4]));

for (const [name, key, url, count, expected] of all.getQueryStringOverride) {
  // Theirs names the experiment by the parameter, `svc_force` by its value.
  const ours = url.replace(`${key}=`, `svc_force=${key}:`);
  test(`override: ${name}`, () => {
    const address = new URL(ours, 'https://_');
    const variations = Array.from({ length: count }, (_, i) => ({ id: `variation ${i}`, name: '', range: [0, 0] }));
    const config = { experiments: [{ id: key, epoch: 1, state: 1, variations }] };
    const { assignments } = decide(config, visitor, address, now, readForce(address.search)._variations);
    assert.equal(assignments.length ? assignments[0].index : null, expected);
  });
}

/** Their first hash is not ours: a state that puts the visitor where it does. */
const stateWith = (id, bucket) => {
  let state = 0;
  while (bucketOf(id, state) !== bucket) state++;
  return state;
};

const asOurs = ({ key, urlPatterns, weights, variations }) => ({
  id: key,
  epoch: 1,
  state: stateWith(visitor.id, ((fold(visitor.id + key) >>> 0) % 1000) * 10),
  pages: { mode: 'any', in: [{ include: urlPatterns.map(({ pattern }) => compileSimple(pattern)) }], out: [] },
  variations: variations.map(({ urlRedirect }, i) => ({
    id: `variation ${i}`,
    redirect_url: urlRedirect,
    range: i ? [weights[0] * 10000, 10000] : [0, weights[0] * 10000],
  })),
});

for (const [name, { url, experiments }, [expected]] of all.urlRedirect) {
  test(`redirect: ${name}`, () => {
    const { assignments } = decide({ experiments: experiments.map(asOurs) }, visitor, new URL(url), now);
    const { variation } = assignments.find(({ active }) => active);
    assert.equal(variation.redirect_url, expected.urlRedirect);
    assert.equal(destinationOf(variation.redirect_url, url), expected.urlWithParams);
  });
}
