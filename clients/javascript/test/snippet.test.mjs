// `storefront`, `whenReady` and `track`: before the snippet, without one, and on servers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage, onServer, snippet } from './page.mjs';

test('on servers there is no snippet, and calls have no effect', async () => {
  const { storefront, track, whenReady } = await onServer(19);
  assert.equal(storefront(), undefined);
  assert.equal(await whenReady(), undefined);
  track('add_to_cart');
});

test('attributes of the page and the queue of the tag with a limit are not the snippet', async () => {
  const page = await onPage(19);
  const queued = [];
  page.window.svc = { country: 'DE', track: (...event) => queued.push(event), ready() {} };
  assert.equal(page.storefront(), undefined);
  page.track('add_to_cart', { sku: 'mug' });
  assert.deepEqual(queued, [['add_to_cart', { sku: 'mug' }]]);
});

test('events wait for the snippet in their order, at most a hundred', async () => {
  const page = await onPage(19);
  for (let number = 0; number < 120; number++) page.track('seen', { number });
  const svc = snippet();
  await page.loaded(svc);
  page.track('bought');
  assert.deepEqual(
    svc.tracked.map(([name, data]) => data?.number ?? name),
    [...Array(100).keys(), 'bought'],
  );
  assert.equal(page.storefront(), svc);
});

test('whenReady waits for the decision, or for its time limit', async () => {
  const page = await onPage(19);
  assert.equal(await page.whenReady(5), undefined);
  const svc = snippet({ visitor: '' });
  const ready = page.whenReady();
  await page.loaded(svc);
  assert.equal(await page.whenReady(5), undefined, 'there is no consent yet');
  svc.decide({});
  assert.equal(await ready, svc);
});
