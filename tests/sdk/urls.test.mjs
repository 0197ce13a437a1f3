import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import '../../shared/abtest/storefront/src/addresses.js';
import { matchesUrl } from '../../shared/abtest/storefront/src/urls.js';
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

test('sources may bring their own anchors', () => {
  assert.equal(matchesUrl({ path: '^\\/shop\\/item$' }, here), true);
  assert.equal(matchesUrl({ path: '\\/shop' }, here), false);
});

test('a longer address than 8,192 characters is searched by no expression', () => {
  const long = (length) => `https://a.example/${'x'.repeat(length - 18)}`;
  assert.equal(matchesPattern('regex', long(8192), 'x$'), true);
  assert.equal(matchesPattern('regex', long(8193), '^https'), false);
  assert.equal(matchesPattern('regex', long(8193), 'x$'), true, 'the address without its origin is shorter');
  assert.equal(matchesPattern('regex', long(9000), 'x$'), false);
});
