import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { matchesPage, matchesPages, matchesUrl } from '../../shared/abtest/storefront/src/urls.js';
import { compilePattern, matchesPattern } from '../../shared/abtest/storefront/tools/compile_pattern.mjs';

const read = (path) => readFileSync(new URL(`../data/${path}`, import.meta.url), 'utf8');

for (const { id, inputs, expected } of read('conformance/url.jsonl')
  .trim()
  .split('\n')
  .map((l) => JSON.parse(l))) {
  test(`conformance line ${id}: ${inputs.pattern} on ${inputs.url}`, () => {
    assert.equal(matchesPattern(inputs.type, inputs.url, inputs.pattern), expected.matches);
  });
}

for (const [type, url, pattern, expected] of JSON.parse(read('growthbook/url_cases.json')).cases) {
  test(`third-party case: ${type} ${pattern} on ${url}`, () => {
    assert.equal(matchesPattern(type, url, pattern), expected);
  });
}

const settled = [
  ['example.com/x', 'http://example.com/x', true, 'a dotted first part is a host'],
  ['example.com:8080/x', 'http://example.com:8080/x', true, 'also with a port'],
  ['*://example.com/x', 'https://example.com/x', false, 'a star for a scheme makes a path'],
  ['/a*b', '/a-b', true, 'a relative address has any host'],
  ['https://example.com/a', '/a', false, 'which no named host equals'],
  ['https://example.com/?q=%2A', 'https://example.com/?q=x', false, 'an encoded star is a literal'],
  ['https://example.com/?q=%2A', 'https://example.com/?q=*', true, 'and matches a star'],
  ['https://example.com/?q=a*', 'https://example.com/?q=a%0Ab', true, 'a wildcard crosses lines'],
  ['/a?q=1', '/a?q=2&q=1', false, 'the first value of a name counts'],
  ['/a?q=', '/a', true, 'a missing value is empty'],
  ['/_____', '/abc', false, 'underscores are no wildcard'],
  ['/FOO', '/foo/', true, 'neither case nor outer slashes count in a path'],
  ['/a#x', '/a#X', true, 'the hash is compared where the pattern has one'],
  ['https://exa mple.com/', 'https://example.com/', false, 'what does not parse matches nothing'],
];
for (const [pattern, url, expected, why] of settled) {
  test(`simple ${pattern} on ${url}: ${why}`, () =>
    assert.equal(matchesPattern('simple', url, pattern), expected));
}

test('a regex is case-sensitive, and one that does not compile matches nothing', () => {
  assert.equal(matchesPattern('regex', 'https://a.example/Foo', '/foo'), false);
  assert.equal(matchesPattern('regex', 'https://a.example/foo', '('), false);
});

test('lone surrogates are read as replacement characters', () => {
  assert.equal(matchesPattern('simple', 'https://a.example/\ufffd', 'https://a.example/\ud800'), true);
});

test('a pattern of many stars answers at once on a long address', () => {
  const rule = compilePattern('simple', `/${'*a'.repeat(30)}*b`);
  const began = performance.now();
  assert.equal(matchesUrl(rule, new URL(`https://a.example/${'a'.repeat(2000)}`)), false);
  assert.ok(performance.now() - began < 100);
});

const here = new URL('https://a.example/shop/item?x=1');
const item = { path: '\\/?shop\\/item\\/?' };
const cart = { path: '\\/?cart\\/?' };

test('a page rule: an exclude wins, then any include, no include is everywhere', () => {
  assert.equal(matchesPage({ include: [cart, item] }, here), true);
  assert.equal(matchesPage({ include: [cart] }, here), false);
  assert.equal(matchesPage({ include: [item], exclude: [item] }, here), false);
  assert.equal(matchesPage({}, here), true);
});

test('pages: an out rule wins, then any or all of in, an empty in is everywhere', () => {
  const [yes, no] = [{ include: [item] }, { include: [cart] }];
  assert.equal(matchesPages(undefined, here), true);
  assert.equal(matchesPages({ mode: 'any', in: [], out: [] }, here), true);
  assert.equal(matchesPages({ mode: 'any', in: [yes, no], out: [] }, here), true);
  assert.equal(matchesPages({ mode: 'all', in: [yes, no], out: [] }, here), false);
  assert.equal(matchesPages({ mode: 'all', in: [yes, yes], out: [] }, here), true);
  assert.equal(matchesPages({ mode: 'any', in: [yes], out: [yes] }, here), false);
  assert.equal(matchesPages({ mode: 'any', in: [no], out: [] }, here), false);
});

test('sources may bring their own anchors', () => {
  assert.equal(matchesUrl({ path: '^\\/shop\\/item$' }, here), true);
  assert.equal(matchesUrl({ path: '\\/shop' }, here), false);
});
