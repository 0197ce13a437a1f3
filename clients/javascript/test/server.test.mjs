// What a server makes of a request: the visitor, the request to the assignment route, the bootstrap.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assign, bootstrapOf, newVisitor, serialize } from '@abtest/storefront/server';
import { openVisit, readCookie } from '../../../shared/abtest/storefront/src/visit.js';

const URL_ = 'https://shop.example/cart';
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36';
const GOOGLE = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ID = '0123456789abcdef';
const OTHER = 'fedcba9876543210';
const visit = (id, seen) => `${id}.s1..~m.~1a-2b.-src.${seen}.f.l.1.2`;
const EXPERIMENT = '0192f3a0-0000-7000-8000-000000000001';

const ASSIGNMENT = {
  experiment_id: 'e1',
  variation_id: 'e1-1',
  variation_index: 1,
  assignment_epoch: 2,
  is_control: false,
  mutations: [{ selector: 'h1' }],
  redirect_url: null,
};
const ANSWER = { user_id: ID, assignments: [ASSIGNMENT], sticky: '2.x', commerce_authorization: 'v1.k1.secret' };

/** Options, and the requests that are made with them. */
const given = (options = {}, answer = ANSWER, status = 200) => {
  const requests = [];
  const send = async (url, { body, headers }) => {
    requests.push({ url, headers, body: JSON.parse(body) });
    return Response.json(answer, { status });
  };
  const all = { edge: 'https://edge.example/', key: 'svc_ts_1', url: URL_, cookie: `svc_v=${ID}`, fetch: send };
  return { requests, options: { ...all, ...options } };
};

test('a new visitor has an id that the snippet continues with', () => {
  const { name, value, header } = newVisitor({ url: URL_, cookie: 'a=b', userAgent: CHROME, consentMode: false });
  assert.match(value, /^[\da-f]{32}$/);
  assert.equal(header, `svc_v=${value}; Path=/; Max-Age=34560000; SameSite=Lax; Secure`);
  openVisit({ cookie: `${name}=${value}` });
  assert.deepEqual(readCookie(), [value]);
});

test('on a page without TLS the cookie is not secure', () => {
  assert.doesNotMatch(newVisitor({ url: 'http://localhost/', consentMode: false }).header, /Secure/);
});

const NONE = {
  'a visitor who has one': { cookie: `svc_v=${ID}` },
  'a shop that asks for consent': { consentMode: true },
  'a bot': { userAgent: GOOGLE },
};
for (const [name, request] of Object.entries(NONE)) {
  test(`no cookie for ${name}`, () => {
    assert.equal(newVisitor({ url: URL_, cookie: null, userAgent: CHROME, consentMode: false, ...request }), undefined);
  });
}

const COOKIES = {
  'an id alone': `svc_v=${ID}`,
  'a whole visit': `a=b; svc_v=${visit(ID, 'sx')}; c=d`,
  'several': `svc_v=${visit(ID, 's2')}; svc_v=${visit(OTHER, 's3')}; svc_v=${visit(ID, 's1')}`,
  'an id next to a visit': `svc_v=${visit(ID, 's2')}; svc_v=${OTHER}`,
  'a rest of another form': `svc_v=${ID}.what=ever`,
  'nothing of ours': 'svc_version=1; xsvc_v=0123456789abcdef',
  'too short': 'svc_v=0123',
};
for (const [name, cookie] of Object.entries(COOKIES)) {
  test(`the cookie is read as the snippet reads it: ${name}`, async () => {
    openVisit({ cookie });
    const expected = readCookie().join('.');
    const { options, requests } = given({ cookie });
    await assign(options);
    assert.deepEqual(
      requests.map(({ body }) => [body.user_id, body.sticky]),
      expected ? [[expected.split('.')[0], expected]] : [],
    );
  });
}

test('the request has the key, the address and what only the server knows', async () => {
  const { options, requests } = given({
    customerId: '17',
    attributes: { country: 'DE' },
    environment: 'staging',
    surface: 'checkout',
    experimentIds: [EXPERIMENT],
  });
  await assign(options);
  const [{ url, headers, body }] = requests;
  assert.equal(url, 'https://edge.example/assign');
  assert.equal(headers.authorization, 'Bearer svc_ts_1');
  assert.deepEqual(body, {
    user_id: ID,
    url: URL_,
    sticky: ID,
    customer_id: '17',
    attributes: { country: 'DE' },
    environment: 'staging',
    surface: 'checkout',
    experiment_ids: [EXPERIMENT],
    force: {},
    values: true,
  });
});

test('a visitor of this request is assigned by the cookie that is being set', async () => {
  const visitor = newVisitor({ url: URL_, consentMode: false });
  const { options, requests } = given({ cookie: undefined, visitor });
  await assign(options);
  assert.equal(requests[0].body.user_id, visitor.value);
});

test('bots, and visitors without a cookie, cost no request', async () => {
  for (const more of [{ cookie: undefined }, { cookie: 'a=b' }, { userAgent: GOOGLE }]) {
    const { options, requests } = given(more);
    assert.deepEqual(await assign(options), { bootstrap: {} });
    assert.deepEqual(requests, []);
  }
});

test('a QA address forces variations, also for bots', async () => {
  const qa = `svc_qa=1&svc_experiment_id=${EXPERIMENT}&svc_variation_id=1`;
  for (const query of [`svc_force=${EXPERIMENT}:1,nonsense:2`, qa]) {
    const { options, requests } = given({ url: `${URL_}?${query}`, userAgent: GOOGLE });
    await assign(options);
    assert.deepEqual(requests[0].body.force, { [EXPERIMENT]: '1' });
  }
});

test('the bootstrap has what is shown, and no secret', async () => {
  const hidden = { ...ASSIGNMENT, experiment_id: 'e2', attributable_only: true };
  const values = { flags: { wide: true }, personalizations: { hero: { text: 'Summer' } } };
  const { options } = given({}, { ...ANSWER, ...values, assignments: [ASSIGNMENT, hidden] });
  const { bootstrap, answer } = await assign(options);
  assert.deepEqual(bootstrap, {
    ...values,
    assignments: [{ experimentId: 'e1', variationId: 'e1-1', variationIndex: 1, epoch: 2 }],
  });
  assert.equal(answer.sticky, '2.x');
  assert.deepEqual(bootstrapOf(answer), bootstrap);
});

test('a refusal, a failure and a slow edge cost the assignments, never the page', async () => {
  const refused = await assign(given({}, { error: 'assignment_unauthorized', message: 'a valid key' }, 401).options);
  assert.match(refused.error.message, /401 assignment_unauthorized: a valid key/);
  const failed = await assign(given({ fetch: () => Promise.reject(new TypeError('no route')) }).options);
  assert.equal(failed.error.message, 'no route');
  const wait = (_, { signal }) => new Promise((_resolve, reject) => (signal.onabort = () => reject(signal.reason)));
  const awake = setTimeout(() => {}, 30_000); // Node does not wait for the timer of a signal alone
  const late = await assign(given({ fetch: wait, timeoutMs: 10 }).options);
  clearTimeout(awake);
  assert.equal(late.error.name, 'TimeoutError');
  const wrong = await assign(given({ url: '/cart' }).options);
  assert.match(wrong.error.message, /URL/);
  for (const { bootstrap } of [refused, failed, late, wrong]) assert.deepEqual(bootstrap, {});
});

test('a serialized bootstrap cannot end its element', () => {
  const bootstrap = { flags: { text: '</script><!--' } };
  assert.doesNotMatch(serialize(bootstrap), /</);
  assert.deepEqual(JSON.parse(serialize(bootstrap)), bootstrap);
});
