import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesAudience, matchesPage, matchesPages } from '../../shared/abtest/storefront/src/pages.js';
import '../../shared/abtest/storefront/src/sdk.js'; // every part

const facts = {
  address: new URL('https://a.example/shop/item?x=1'),
  attributes: { device: 'mobile' },
  visitor: { fired: (trigger) => trigger === 'dom_ready' },
};
const item = { path: '\\/?shop\\/item\\/?' };
const cart = { path: '\\/?cart\\/?' };

test('a page rule: an exclude wins, then any include, no include is everywhere', () => {
  assert.equal(matchesPage({ include: [cart, item] }, facts), true);
  assert.equal(matchesPage({ include: [cart] }, facts), false);
  assert.equal(matchesPage({ include: [item], exclude: [item] }, facts), false);
  assert.equal(matchesPage({}, facts), true);
});

test('pages: an out rule wins, then any or all of in, an empty in is everywhere', () => {
  const [yes, no] = [{ include: [item] }, { include: [cart] }];
  assert.equal(matchesPages(undefined, facts), true);
  assert.equal(matchesPages({ mode: 'any', in: [], out: [] }, facts), true);
  assert.equal(matchesPages({ mode: 'any', in: [yes, no], out: [] }, facts), true);
  assert.equal(matchesPages({ mode: 'all', in: [yes, no], out: [] }, facts), false);
  assert.equal(matchesPages({ mode: 'all', in: [yes, yes], out: [] }, facts), true);
  assert.equal(matchesPages({ mode: 'any', in: [yes], out: [yes] }, facts), false);
  assert.equal(matchesPages({ mode: 'any', in: [no], out: [] }, facts), false);
});

test('a page rule holds once its trigger has fired and its condition holds', () => {
  const rule = { include: [item] };
  assert.equal(matchesPage({ ...rule, trigger: 'dom_ready' }, facts), true);
  assert.equal(matchesPage({ ...rule, trigger: 'delay:5' }, facts), false);
  assert.equal(matchesPage({ ...rule, when: { device: 'mobile' } }, facts), true);
  assert.equal(matchesPage({ ...rule, when: { device: 'desktop' } }, facts), false);
  assert.equal(matchesPage({ include: [cart], trigger: 'dom_ready' }, facts), false);
});

test('a trigger is asked for where its page is, whatever the condition says', () => {
  const asked = [];
  const listening = { ...facts, visitor: { fired: (trigger) => !!asked.push(trigger) } };
  matchesPage({ include: [item], trigger: 'delay:1', when: { device: 'desktop' } }, listening);
  matchesPage({ include: [cart], trigger: 'delay:2' }, listening);
  assert.deepEqual(asked, ['delay:1']);
});

test('an audience combines as pages do', () => {
  const [yes, no] = [{ device: 'mobile' }, { device: 'desktop' }];
  assert.equal(matchesAudience(undefined, facts), true);
  assert.equal(matchesAudience({ mode: 'any', in: [no, yes], out: [] }, facts), true);
  assert.equal(matchesAudience({ mode: 'all', in: [no, yes], out: [] }, facts), false);
  assert.equal(matchesAudience({ mode: 'any', in: [yes], out: [yes] }, facts), false);
  assert.equal(matchesAudience({ mode: 'all', in: [], out: [no] }, facts), true);
});
