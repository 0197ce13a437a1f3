// What each mode computes with the storefront's own code, from `inputs` to `result`; in Node and in browsers.

import { holds } from '../../shared/abtest/storefront/src/conditions.js';
import { decide } from '../../shared/abtest/storefront/src/decide.js';
import { explain } from '../../shared/abtest/storefront/src/explain.js';
import { bucketOf, fold } from '../../shared/abtest/storefront/src/hash.js';
import { evaluate } from '../../shared/abtest/storefront/src/payloads.js';
import '../../shared/abtest/storefront/src/sdk.js'; // every part
import { matchesPattern } from '../../shared/abtest/storefront/tools/compile_pattern.mjs';

const asText = (value, name) => {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`);
  return value;
};

/** What an address is tested as: absolute, or relative to any host. */
const asAddress = (url) => {
  try {
    return url == null ? undefined : new URL(url, 'https://_');
  } catch {
    return undefined;
  }
};

const asTime = (now) => (typeof now === 'string' && Number.isNaN(Number(now)) ? Date.parse(now) : Number(now));

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first that is a text with anything in it. */
const firstText = (...values) => values.find((value) => typeof value === 'string' && value);

/** A visitor is an id, or an object that calls it `id`, `visitor_id` or `user_id`. A wrong type counts as absent. */
const asVisitor = (visitor) => {
  if (typeof visitor === 'string') return { id: visitor };
  const given = isObject(visitor) ? visitor : {};
  const triggers = Array.isArray(given.triggers) ? given.triggers : [];
  return {
    id: firstText(given.id, given.visitor_id, given.user_id),
    customer_id: firstText(given.customer_id),
    attributes: isObject(given.attributes) ? given.attributes : {},
    sticky: isObject(given.sticky) ? given.sticky : {},
    served: isObject(given.served) ? given.served : {},
    surface: firstText(given.surface),
    fired: (trigger) => triggers.includes(trigger),
  };
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

export const modes = {
  condition: ({ condition, attributes, groups }) => ({ matches: holds(condition, attributes ?? {}, groups ?? {}) }),
  decide: ({ config, visitor, url, now, force }) =>
    documentOf(decide(config, asVisitor(visitor), asAddress(url), asTime(now), force ?? {})),
  explain: ({ config, visitor, url, now, force }) =>
    explain(config, asVisitor(visitor), asAddress(url), asTime(now), force ?? {}),
  hash: ({ seed, value }) => ({ bucket: bucketOf(asText(value, 'value'), fold(asText(seed, 'seed'))) }),
  signal: ({ trigger, payload }) => evaluate(trigger, payload),
  url({ type, url, pattern }) {
    if (type !== 'simple' && type !== 'regex') throw new TypeError('type must be simple or regex');
    return { matches: matchesPattern(type, asText(url, 'url'), asText(pattern, 'pattern')) };
  },
};

/** `{id, result}`, or `{id, error}` for a line that asks nothing. */
export const answer = (compute, line) => {
  let id = null;
  try {
    const { id: given = null, inputs } = JSON.parse(line);
    id = given;
    return { id, result: compute(inputs) };
  } catch (error) {
    return { id, error: error.message };
  }
};
