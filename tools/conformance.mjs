// Answers conformance lines from standard input with the storefront's own code:
// `node tools/conformance.mjs hash|url|condition|decide`. One JSON object a line in, one a line out, in the same order.

import { holds } from '../shared/abtest/storefront/src/conditions.js';
import { decide } from '../shared/abtest/storefront/src/decide.js';
import { bucketOf, fold } from '../shared/abtest/storefront/src/hash.js';
import { matchesPattern } from '../shared/abtest/storefront/tools/compile_pattern.mjs';

const asText = (value, name) => {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`);
  return value;
};

/** What an address is tested as: absolute, or relative to any host. */
const asAddress = (url) => new URL(asText(url, 'url'), 'https://_');

const asTime = (now) => (typeof now === 'string' && Number.isNaN(Number(now)) ? Date.parse(now) : Number(now));

/** A visitor is an id, or an object that calls it `id`, `visitor_id` or `user_id`. */
const asVisitor = (visitor) => {
  if (typeof visitor === 'string') return { id: visitor };
  const { visitor_id: visitorId, user_id: userId, ...rest } = visitor || {};
  return { ...rest, id: rest.id ?? visitorId ?? userId };
};

/** The answer of docs/data-model.md, section 2.1. */
const documentOf = ({ cohort, assignments, personalizations, flags }) => ({
  cohort,
  assignments: assignments.map(({ experiment, variation, index, active, forced, sticky, hashed }) => ({
    experiment_id: experiment.id,
    variation_id: variation.id,
    variation_index: index,
    assignment_epoch: experiment.epoch,
    is_control: !!variation.control,
    active,
    ...(forced && { forced }),
    ...(sticky && { sticky }),
    ...(hashed && { identity: 'customer' }),
  })),
  personalizations: personalizations.map(({ personalization, experience, shown }) => ({
    personalization_id: personalization.id,
    experience_id: experience.id,
    experience_key: experience.key,
    shown,
  })),
  flags,
});

const modes = {
  condition: ({ condition, attributes, groups }) => ({ matches: holds(condition, attributes ?? {}, groups ?? {}) }),
  decide: ({ config, visitor, url, now, force }) =>
    documentOf(decide(config, asVisitor(visitor), asAddress(url), asTime(now), force ?? {})),
  hash: ({ seed, value }) => ({ bucket: bucketOf(asText(value, 'value'), fold(asText(seed, 'seed'))) }),
  url({ type, url, pattern }) {
    if (type !== 'simple' && type !== 'regex') throw new TypeError('type must be simple or regex');
    return { matches: matchesPattern(type, asText(url, 'url'), asText(pattern, 'pattern')) };
  },
};

const answer = (compute, line) => {
  let id = null;
  try {
    const { id: given = null, inputs } = JSON.parse(line);
    id = given;
    return { id, result: compute(inputs) };
  } catch (error) {
    return { id, error: error.message };
  }
};

/** Waits where the reader is slower than we are: output must not pile up in memory. */
const write = (text) =>
  process.stdout.write(text) || new Promise((resolve) => process.stdout.once('drain', resolve));

/** Lines end at line feeds only: node:readline would also break at U+2028, which may stand inside a JSON string. */
async function* lines(input) {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  yield rest;
}

process.stdout.on('error', () => process.exit()); // the reader has read enough

const stream = async (compute) => {
  let pending = '';
  for await (const line of lines(process.stdin)) {
    if (line.trim()) pending += `${JSON.stringify(answer(compute, line))}\n`;
    if (pending.length > 65536) {
      await write(pending);
      pending = '';
    }
  }
  await write(pending);
};

const compute = modes[process.argv[2]];
if (compute) await stream(compute);
else {
  console.error(`usage: node tools/conformance.mjs ${Object.keys(modes).join('|')} < lines`);
  process.exitCode = 2;
}
