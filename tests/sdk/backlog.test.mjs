import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oldest, ownNames, read, remove, store } from '../../shared/abtest/storefront/src/backlog.js';

/** As browsers have one: items are properties of its own. */
class Shelf {
  getItem(name) {
    return this[name] ?? null;
  }

  setItem(name, value) {
    this[name] = value;
  }

  removeItem(name) {
    delete this[name];
  }
}

/** What holds texts up to so many characters. */
class Small extends Shelf {
  setItem(name, value) {
    if (value.length > 5) throw new Error('QuotaExceededError');
    super.setItem(name, value);
  }
}

class Silent extends Shelf {
  setItem() {}
}

class Closed extends Shelf {
  getItem() {
    throw new Error('SecurityError');
  }
}

const use = (storage) => {
  globalThis.window = { localStorage: storage };
  return storage;
};
const DAY = 24 * 3600 * 1000;

test('a batch is kept as it is, and gone when it is removed', () => {
  const storage = use(new Shelf());
  assert.equal(oldest(), '');
  assert.equal(store(['{"a":1}', '{"b":2}']), true);
  const name = oldest();
  assert.equal(read(name), '{"a":1}\n{"b":2}');
  remove(name);
  assert.deepEqual(Object.keys(storage), []);
});

test('another page finds the oldest batch first', () => {
  const storage = use(new Shelf());
  for (const age of [1, 3, 2]) storage.setItem(`svc_q.${(Date.now() - age * DAY).toString(36)}.x`, `${age}`);
  assert.equal(read(oldest()), '3');
});

test('batches of releases that wrote the count of events into the key are sent as well', () => {
  use(new Shelf()).setItem(`svc_q.${Date.now().toString(36)}.7.x`, '{}');
  assert.equal(read(oldest()), '{}');
});

test('what is a week old, from the future or none of ours is dropped', () => {
  const storage = use(new Shelf());
  const at = (ms) => `svc_q.${(Date.now() + ms).toString(36)}.x`;
  for (const name of [at(-7 * DAY - 1000), at(8 * DAY), 'svc_q.', 'svc_q.!.x', at(-7 * DAY + 60_000)]) {
    storage.setItem(name, 'x');
  }
  storage.setItem('svc_other', '1');
  assert.match(oldest(), /^svc_q\.\w+\.x$/);
  assert.equal(Object.keys(storage).length, 2);
  assert.deepEqual(ownNames('svc_').length, 2);
});

test('characters are bounded, and a full or silent storage keeps nothing', () => {
  use(new Shelf());
  assert.equal(store(['x'.repeat(400_000)]), true);
  assert.equal(store(['x']), false);
  use(new Small());
  assert.equal(store(['123456']), false);
  use(new Silent());
  assert.equal(store(['x']), false);
});

test('storage that cannot be read costs nothing', () => {
  const storage = use(new Closed());
  assert.equal(store(['x']), false);
  assert.equal(oldest(), '');
  use(null);
  assert.equal(store(['x']), false);
  assert.equal(oldest(), '');
  assert.equal(Object.keys(storage).length, 1, 'kept, though it does not say so');
});
