import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockIndexOf } from '../../shared/abtest/storefront/src/blocks.js';
import { isBot } from '../../shared/abtest/storefront/src/bots.js';
import { decide, variationIndexOf } from '../../shared/abtest/storefront/src/decide.js';
import { readForce } from '../../shared/abtest/storefront/src/force.js';
import { bucketOf, fold } from '../../shared/abtest/storefront/src/hash.js';
import '../../shared/abtest/storefront/src/sdk.js'; // every part

const here = new URL('https://shop.example/item');
const monday = Date.parse('2025-12-22T12:00:00Z');
const everybody = [0, 10000];
const elsewhere = { mode: 'any', in: [{ include: [{ path: '\\/?cart\\/?' }] }], out: [] };
const nobodyLikes = { mode: 'any', in: [{ country: 'DE' }], out: [] };
const mondays = { days: ['monday'], zone: 'Europe/Berlin' };

const experimentWith = (ranges, more = {}) => ({
  id: 'e1',
  name: 'Headline',
  type: 'mutation',
  epoch: 1,
  state: fold('e1'),
  variations: ranges.map((range, i) => ({ id: `v${i}`, name: `V${i}`, range })),
  ...more,
});

const configOf = (more) => ({ shop_id: 's1', runtime: {}, experiments: [], ...more });
const decideOn = (config, visitor, force, now = monday) =>
  decide(configOf(config), typeof visitor === 'string' ? { id: visitor } : visitor, here, now, force);
const assignmentsOf = (experiments, visitor, force) => decideOn({ experiments }, visitor, force).assignments;

test('a visitor falls into the range that holds the bucket', () => {
  const bucket = bucketOf('anna', fold('e1'));
  const cut = (at, from = at) => experimentWith([[0, at], [from, 10000]]); // prettier-ignore
  assert.equal(variationIndexOf(cut(bucket), 'anna'), 1);
  assert.equal(variationIndexOf(cut(bucket + 1), 'anna'), 0);
  assert.equal(variationIndexOf(cut(bucket, bucket + 1), 'anna'), -1);
});

test('raising the traffic moves nobody who is in', () => {
  const half = experimentWith([[0, 2500], [5000, 7500]]); // prettier-ignore
  const full = experimentWith([[0, 5000], [5000, 10000]]); // prettier-ignore
  for (let i = 0; i < 2000; i++) {
    const before = variationIndexOf(half, `v${i}`);
    if (before >= 0) assert.equal(variationIndexOf(full, `v${i}`), before);
  }
});

test('a page that the rules leave out keeps the assignment and shows nothing', () => {
  const [decision] = assignmentsOf([experimentWith([everybody], { pages: elsewhere })], 'anna');
  assert.equal(decision.variation.id, 'v0');
  assert.equal(decision.active, false);
});

test('without an id nobody is assigned anything, and flags are off', () => {
  const flags = [{ id: 'f', key: 'f', state: 1, below: 10000, on: 1, off: 0 }];
  const personalizations = [personalizationWith()];
  const found = decideOn({ experiments: [experimentWith([everybody])], flags, personalizations }, {});
  assert.deepEqual([found.assignments, found.personalizations], [[], []]);
  assert.deepEqual({ ...found.flags }, { f: { value: 0, reason: 'rollout' } });
});

test('force comes before holdout, group, targeting and bucket, and concerns one experiment', () => {
  const unreached = {
    pages: elsewhere,
    audience: nobodyLikes,
    dark: mondays,
    surface: 'checkout',
    group: { id: 'g', epoch: 1, state: 1, ranges: [] },
  };
  const forced = experimentWith([everybody, [10000, 10000]], unreached);
  const other = { ...experimentWith([everybody]), id: 'e2' };
  const holdout = { state: 1, below: 10000, epoch: 5 };
  const found = decideOn({ experiments: [forced, other], holdout }, 'anna', { e1: 'v1' });
  assert.equal(found.cohort, null);
  const seen = found.assignments.map(({ experiment, index, forced: is, active }) => [experiment.id, index, is, active]);
  assert.deepEqual(seen, [['e1', 1, true, true]]);
});

for (const [wanted, expected] of [['1', 1], [1, 1], ['v1', 1], ['01', 0], ['9', 0], ['gone', 0]]) { // prettier-ignore
  test(`forcing ${JSON.stringify(wanted)} gives position ${expected}`, () => {
    const [{ index, forced }] = assignmentsOf([experimentWith([everybody, [10000, 10000]])], 'anna', { e1: wanted });
    assert.deepEqual([index, !!forced], [expected, expected === 1]);
  });
}

const forces = [
  ['', false, {}],
  ['?svc_experiment_id=e1&svc_variation_id=v1', false, {}],
  ['?svc_qa=1', true, {}],
  ['?svc_qa=1&svc_experiment_id=e1&svc_variation_id=v1', true, { e1: 'v1' }],
  ['?svc_force=e1:v1', true, { e1: 'v1' }],
  ['?svc_force=e1:v1,e2:0&svc_qa=1', true, { e1: 'v1', e2: '0' }],
  ['?svc_force=e1,:v1,,', false, {}],
];
for (const [search, qa, variations] of forces) {
  test(`${search || 'no parameter'} forces ${JSON.stringify(variations)}`, () => {
    const force = readForce(search);
    assert.deepEqual([force._isFlagged, { ...force._variations }], [qa, variations]);
  });
}

test('an experiment that cannot be read harms no other', () => {
  const broken = experimentWith([everybody], { pages: { in: 5 } });
  const seen = assignmentsOf([broken, {}, { ...experimentWith([everybody]), id: 'e2' }], 'anna');
  assert.deepEqual(
    seen.map(({ experiment }) => experiment.id),
    ['e2'],
  );
});

test('the first block that matches wins, none falls back to the flat fields', () => {
  const facts = decideOn({}, 'anna').facts;
  const on = (path) => ({ rules: { include: [{ path }] } });
  const variation = (...blocks) => ({ id: 'v', name: 'V', range: everybody, blocks });
  assert.equal(blockIndexOf(variation(on('\\/cart'), on('\\/item'), on('[^]*')), facts), 1);
  assert.equal(blockIndexOf(variation(on('\\/cart')), facts), -1);
  assert.equal(blockIndexOf({ id: 'v', name: 'V', range: everybody }, facts), -1);
});

test('the holdout takes those below its cut out of everything but flags', () => {
  const state = fold('holdout:s1');
  const bucket = bucketOf('anna', state);
  const config = {
    experiments: [experimentWith([everybody])],
    personalizations: [personalizationWith()],
    flags: [{ id: 'f', key: 'f', state: 1, below: 10000, on: 1, off: 0 }],
  };
  for (const [below, cohort, number] of [[bucket, 'active', 1], [bucket + 1, 'holdout', 0]]) { // prettier-ignore
    const found = decideOn({ ...config, holdout: { state, below, epoch: 1 } }, 'anna');
    assert.equal(found.cohort, cohort);
    assert.deepEqual([found.assignments.length, found.personalizations.length], [number, number]);
    assert.equal(found.flags.f.value, 1);
  }
  assert.equal(decideOn(config, 'anna').cohort, null);
});

test('of an exclusion group one member has the visitor', () => {
  const state = fold('group:g');
  const member = (id, ranges) => ({ ...experimentWith([everybody]), id, group: { id: 'g', epoch: 2, state, ranges } });
  const experiments = [member('a', [[0, 3000], [9000, 10000]]), member('b', [[3000, 6000]])]; // prettier-ignore
  for (let i = 0; i < 500; i++) {
    const bucket = bucketOf(`u${i}`, state);
    const expected = bucket < 3000 || bucket >= 9000 ? ['a'] : bucket < 6000 ? ['b'] : [];
    assert.deepEqual(
      assignmentsOf(experiments, `u${i}`).map(({ experiment }) => experiment.id),
      expected,
    );
  }
});

test('surface, dark day and audience decide whether an experiment is reached', () => {
  const reached = (more, visitor) =>
    assignmentsOf([experimentWith([everybody], more)], { id: 'anna', ...visitor }).length;
  assert.equal(reached({ surface: 'checkout' }), 0);
  assert.equal(reached({ surface: 'checkout' }, { surface: 'checkout' }), 1);
  assert.equal(reached({}, { surface: 'checkout' }), 0);
  assert.equal(reached({ dark: mondays }), 0);
  assert.equal(reached({ dark: { ...mondays, days: ['sunday'] } }), 1);
  assert.equal(reached({ dark: { ...mondays, zone: 'No/Where' } }), 1);
  assert.equal(reached({ audience: nobodyLikes }), 0);
  assert.equal(reached({ audience: nobodyLikes }, { attributes: { country: 'DE' } }), 1);
});

test('a sticky variation survives new weights, and attributes goals where the experiment is not reached', () => {
  const sticky = { id: 'anna', sticky: { e1: 'v1' } };
  const [kept] = assignmentsOf([experimentWith([everybody, [10000, 10000]])], sticky);
  assert.deepEqual([kept.index, kept.sticky, kept.active], [1, true, true]);
  const [away] = assignmentsOf([experimentWith([everybody, [10000, 10000]], { audience: nobodyLikes })], sticky);
  assert.deepEqual([away.index, away.active], [1, false]);
  const [gone] = assignmentsOf([experimentWith([everybody])], sticky);
  assert.deepEqual([gone.index, gone.sticky], [0, false]);
  const again = experimentWith([everybody, [10000, 10000]], { epoch: 2, state: fold('e1:2') });
  assert.equal(assignmentsOf([again], sticky)[0].index, 0);
  assert.equal(assignmentsOf([again], { ...sticky, sticky: { 'e1:2': 'v1' } })[0].index, 1);
});

test('with the identity of customers their id is hashed, else the visitor id', () => {
  const bucket = bucketOf('customer-1', fold('e1'));
  const experiment = experimentWith([[bucket, bucket + 1]], { identity: 'customer' });
  const [found] = assignmentsOf([experiment], { id: 'anna', customer_id: 'customer-1' });
  assert.deepEqual([found.index, found.hashed], [0, true]);
  assert.equal(assignmentsOf([experiment], 'anna').length, Number(bucketOf('anna', fold('e1')) === bucket));
  assert.equal(assignmentsOf([experiment], { customer_id: 'customer-1' }).length, 1);
  assert.equal(assignmentsOf([experimentWith([everybody])], { customer_id: 'customer-1' }).length, 0);
});

const personalizationWith = (more) => ({
  id: 'p1',
  key: 'welcome',
  name: 'Welcome',
  type: 'visual',
  surface: 'global',
  state: fold('p1'),
  below: 10000,
  experiences: [
    { id: 'x1', key: 'default', name: 'Default' },
    { id: 'x2', key: 'german', name: 'German' },
  ],
  ...more,
});
const placementsOf = (personalizations, attributes) =>
  decideOn({ personalizations }, { id: 'anna', attributes }).personalizations.map(
    ({ personalization, experience, shown }) => [personalization.id, experience.id, shown],
  );

test('a personalization gives the experience of the first rule that holds, else the default one, else none', () => {
  const rules = [{ experience: 'german', audience: nobodyLikes }];
  assert.deepEqual(placementsOf([personalizationWith({ rules })]), [['p1', 'x1', true]]);
  assert.deepEqual(placementsOf([personalizationWith({ rules })], { country: 'DE' }), [['p1', 'x2', true]]);
  const [first, second] = personalizationWith().experiences;
  assert.deepEqual(placementsOf([personalizationWith({ experiences: [second] })]), []);
  assert.deepEqual(placementsOf([personalizationWith({ rules: [{ experience: 'gone' }], experiences: [first] })]), []);
});

test('outside the rollout a personalization is not shown, and told', () => {
  const bucket = bucketOf('anna', fold('p1'));
  assert.deepEqual(placementsOf([personalizationWith({ below: bucket })]), [['p1', 'x1', false]]);
  assert.deepEqual(placementsOf([personalizationWith({ below: bucket + 1 })]), [['p1', 'x1', true]]);
});

test('a surface shows one personalization at a time, the global one any number', () => {
  const at = (id, surface, more) => personalizationWith({ id, surface, ...more });
  const surfaces = [at('a', 'cart', { below: 0 }), at('b', 'cart'), at('c', 'cart'), at('d', 'global')];
  surfaces.push(at('e', 'global'));
  assert.deepEqual(
    placementsOf(surfaces).map(([id, , shown]) => [id, shown]),
    [['a', false], ['b', true], ['d', true], ['e', true]], // prettier-ignore
  );
});

const flagWith = (more) => ({ id: 'f', key: 'f', state: fold('f'), below: 10000, on: { a: 1 }, off: null, ...more });
const reasons = [
  [{}, 'on'],
  [{ paused: true, dark: mondays }, 'paused'],
  [{ dark: mondays, audience: nobodyLikes }, 'dark'],
  [{ audience: nobodyLikes, below: 0 }, 'targeting'],
  [{ pages: elsewhere }, 'targeting'],
  [{ below: 0 }, 'rollout'],
];
for (const [more, reason] of reasons) {
  test(`a flag with ${JSON.stringify(more)} is ${reason}`, () => {
    const { f } = decideOn({ flags: [flagWith(more)] }, 'anna').flags;
    assert.deepEqual(f, { value: reason === 'on' ? { a: 1 } : null, reason });
  });
}

test('a flag that cannot be read is left out', () => {
  const { flags } = decideOn({ flags: [flagWith({ pages: { in: 5 } }), flagWith({ key: 'g' })] }, 'anna');
  assert.deepEqual(Object.keys(flags), ['g']);
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
