import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBacklog } from '../../shared/abtest/storefront/src/backlog.js';

/** As browsers have one; `limit` is how many characters it holds. */
const createStorage = (limit = Number.POSITIVE_INFINITY) => {
  const entries = new Map();
  return {
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (name) => entries.get(name) ?? null,
    setItem(name, value) {
      if (value.length > limit) throw new Error('QuotaExceededError');
      entries.set(name, value);
    },
    removeItem: (name) => entries.delete(name),
    names: () => [...entries.keys()],
  };
};

const of = (storage) => createBacklog(() => storage);
const DAY = 24 * 3600 * 1000;

test('a batch is kept as it is, and gone when it is removed', () => {
  const storage = createStorage();
  const backlog = of(storage);
  assert.equal(backlog.oldest(), '');
  assert.equal(backlog.keep(['{"a":1}', '{"b":2}']), true);
  const name = backlog.oldest();
  assert.deepEqual(backlog.read(name), ['{"a":1}', '{"b":2}']);
  backlog.remove(name);
  assert.deepEqual(storage.names(), []);
});

test('another page finds the oldest batch first', () => {
  const storage = createStorage();
  for (const age of [1, 3, 2]) storage.setItem(`svc_q.${(Date.now() - age * DAY).toString(36)}.1.x`, `${age}`);
  const backlog = of(storage);
  assert.deepEqual(backlog.read(backlog.oldest()), ['3']);
});

for (const [held, more, fits] of [
  [499, 1, true],
  [500, 1, false],
  [400, 100, true],
  [401, 100, false],
]) {
  test(`${held} events are kept: ${more} more ${fits ? 'fit' : 'do not'}`, () => {
    const storage = createStorage();
    for (let left = held; left > 0; left -= 100) of(storage).keep(new Array(Math.min(left, 100)).fill('x'));
    assert.equal(of(storage).keep(new Array(more).fill('x')), fits);
  });
}

test('what is a week old, from the future or none of ours is dropped', () => {
  const storage = createStorage();
  const at = (ms) => `svc_q.${(Date.now() + ms).toString(36)}.1.x`;
  for (const name of [at(-7 * DAY - 1000), at(8 * DAY), 'svc_q.', 'svc_q.!.1.x', at(-7 * DAY + 60_000)]) {
    storage.setItem(name, 'x');
  }
  storage.setItem('svc_other', '1');
  assert.match(of(storage).oldest(), /^svc_q\.\w+\.1\.x$/);
  assert.equal(storage.names().length, 2);
  of(storage).clear();
  assert.deepEqual(storage.names(), []);
});

test('characters are bounded, and a full or silent storage keeps nothing', () => {
  const storage = createStorage();
  assert.equal(of(storage).keep(['x'.repeat(400_000)]), true);
  assert.equal(of(storage).keep(['x']), false);
  assert.equal(of(createStorage(5)).keep(['123456']), false);
  const silent = { ...createStorage(), length: 0, setItem() {} };
  assert.equal(of(silent).keep(['x']), false);
});

test('storage that may not be opened costs nothing', () => {
  const closed = createBacklog(() => {
    throw new Error('SecurityError');
  });
  assert.equal(closed.keep(['x']), false);
  assert.equal(closed.oldest(), '');
  closed.clear();
});
