import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf } from '../../shared/abtest/storefront/src/redirect.js';

const cases = [
  ['https://a.example/new', 'https://a.example/old', 'https://a.example/new', 'plain'],
  ['/new', 'https://a.example/old?x=1#top', 'https://a.example/new?x=1#top', 'query and hash are kept'],
  ['/new?x=2#mine', 'https://a.example/old?x=1&y=3#top', 'https://a.example/new?x=2&y=3#mine', 'its own win'],
  ['/new', 'https://a.example/old?x=1&x=2', 'https://a.example/new?x=1&x=2', 'repeated names are kept'],
  ['/p?view=alt', 'https://a.example/p?u=1', 'https://a.example/p?view=alt&u=1', 'only the query changes'],
  ['/p?view=alt', 'https://a.example/p?u=1&view=alt', undefined, 'already there, in another order'],
  ['/p', 'https://a.example/p?u=1#x', undefined, 'already there'],
  ['javascript:alert(1)', 'https://a.example/p', undefined, 'no web address'],
  ['http://', 'https://a.example/p', undefined, 'no address at all'],
];
for (const [target, here, expected, why] of cases) {
  test(`from ${here} to ${target}: ${why}`, () => assert.equal(destinationOf(target, here), expected));
}

test('a destination leads nowhere from itself: redirects do not repeat', () => {
  for (const [target, here] of cases.slice(0, 5)) {
    assert.equal(destinationOf(target, destinationOf(target, here)), undefined);
  }
});
