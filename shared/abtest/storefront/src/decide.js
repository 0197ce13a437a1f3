// Assignment: pure decisions over the config (docs/data-model.md, section 2.1). Reads no page, cookie or clock.

import { bucketOf, fold } from './hash.js';
import { record } from './lists.js';
import { matchesAudience, matchesPages } from './pages.js';
import { parts } from './parts.js';

/** @import { Address, Config, Decided, Decision, Experiment, Facts, Force } from './types' */
/** @import { Targeted, Variation, Visitor } from './types' */

/**
 * @param {Variation[]} variations
 * @param {(variation: Variation, index: number) => boolean} test
 */
export const indexWhere = (variations, test) => {
  for (let i = 0; i < variations.length; i++) if (test(variations[i], i)) return i;
  return -1;
};

/**
 * @param {[number, number]} range
 * @param {number} bucket
 */
export const isWithin = (range, bucket) => range[0] <= bucket && bucket < range[1]; // destructuring is slow

/** Seed of the experiment's hash, and key of its sticky assignments. @param {Experiment} experiment */
export const seedOf = ({ id, epoch }) => (epoch > 1 ? `${id}:${epoch}` : id);

/** Hash state after the seed. Snippets contain the state and no seed. @param {Experiment} experiment */
export const stateOf = (experiment) => (experiment.state ??= fold(seedOf(experiment)));

/**
 * Index of the variation that an id is assigned to, or -1 outside the experiment's traffic.
 * @param {Experiment} experiment
 * @param {string} id
 */
export const variationIndexOf = (experiment, id) => {
  const bucket = bucketOf(id, stateOf(experiment));
  return indexWhere(experiment.variations, ({ range }) => isWithin(range, bucket));
};

/**
 * Index of the variation forced by its id or its decimal index, or -1.
 * @param {Experiment} experiment
 * @param {Facts} facts
 */
export const forcedIndexOf = ({ id: key, variations }, { force }) => {
  const forced = force?.[key];
  if (forced == null) return -1;
  const byId = indexWhere(variations, ({ id }) => id === forced);
  return byId < 0 ? indexWhere(variations, (_, index) => `${index}` === `${forced}`) : byId;
};

/**
 * Return whether delivery is on today and the visitor is in the audience.
 * @param {Targeted} targeted
 * @param {Facts} facts
 */
export const reaches = ({ dark, audience }, facts) =>
  !(dark && parts._isDark(dark, facts.now)) && matchesAudience(audience, facts);

/**
 * Return whether the unit may be in the experiment: not held out, and in its share of the exclusion group.
 * @param {Experiment} experiment
 * @param {Facts} facts
 */
const isEligible = ({ group }, { unit, held }) => unit && !held && (!group || parts._isInShare(group, unit));

/**
 * @param {Experiment} experiment
 * @param {Facts} facts
 */
const isReached = (experiment, facts) =>
  (experiment.surface || '') === (facts.visitor.surface || '') && reaches(experiment, facts);

/**
 * Index of the variation kept from an earlier decision, or -1.
 * @param {Experiment} experiment
 * @param {Visitor} visitor
 */
export const keptIndexOf = (experiment, { sticky }) => {
  const kept = sticky?.[seedOf(experiment)];
  return kept ? indexWhere(experiment.variations, ({ id }) => id === kept) : -1;
};

/**
 * Decide one experiment: a forced variation, else one kept from before, else the one for the visitor's or customer's
 * id.
 * @param {Experiment} experiment
 * @param {Facts} facts
 * @returns {Decision | undefined}
 */
const decideExperiment = (experiment, facts) => {
  const { variations, identity } = experiment;
  const { visitor } = facts;
  let index = forcedIndexOf(experiment, facts);
  if (index >= 0) return { experiment, variation: variations[index], index, active: true, forced: true };
  if (!isEligible(experiment, facts)) return undefined;
  index = keptIndexOf(experiment, visitor);
  const sticky = index >= 0;
  const customer = !sticky && identity && visitor.customer_id;
  const unit = customer || visitor.id;
  if (!sticky && unit) index = variationIndexOf(experiment, unit);
  const reached = index >= 0 && isReached(experiment, facts);
  if (!reached && !sticky) return undefined;
  const active = reached && matchesPages(experiment.pages, facts);
  return { experiment, variation: variations[index], index, sticky, hashed: !!customer, active };
};

/**
 * Collect the results that are not empty. An item that throws is left out and does not affect the others.
 * @template T, R
 * @param {T[] | undefined} items
 * @param {(item: T) => R | undefined} work
 */
export const collect = (items, work) => {
  /** @type {R[]} */
  const results = [];
  for (const item of items || []) {
    try {
      const result = work(item);
      if (result) results[results.length] = result;
    } catch {}
  }
  return results;
};

/**
 * Decide everything for a visitor at an address. An experiment that is not `active` there still attributes goals.
 * @param {Config} config
 * @param {Visitor} visitor
 * @param {Address | undefined} address
 * @param {number} now Unix milliseconds
 * @param {Force} [force]
 * @returns {Decided}
 */
export const decide = (config, visitor, address, now, force) => {
  const { holdout, experiments, personalizations, flags, zones } = config;
  const unit = visitor.id || visitor.customer_id || '';
  const held = holdout ? parts._isHeld(holdout, unit) : false;
  /** @type {Facts} */
  const facts = { visitor, unit, held, address, now, force, zones };
  const decided = {
    facts,
    cohort: holdout ? parts._cohortOf(facts) : null,
    assignments: collect(experiments, (experiment) => decideExperiment(experiment, facts)),
    personalizations: personalizations ? parts._personalizations(personalizations, facts) : [],
    flags: flags ? parts._flags(flags, facts) : record(),
  };
  parts._serve?.(decided, experiments);
  return decided;
};
