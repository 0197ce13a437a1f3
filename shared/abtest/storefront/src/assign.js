// Who sees what: pure decisions over the config. It reads no page, no cookie and no clock.

import { bucketOf } from './hash.js';
import { matchesPages } from './urls.js';

/** @import { Address, Decision, Experiment, Force } from './types' */

/**
 * Position of the variation that the visitor falls into, -1 outside the experiment's traffic.
 * @param {Experiment} experiment
 * @param {string} visitorId
 */
export const variationIndexOf = (experiment, visitorId) => {
  const bucket = bucketOf(visitorId, experiment.state);
  for (let i = 0; i < experiment.variations.length; i++) {
    const [from, to] = experiment.variations[i].range;
    if (from <= bucket && bucket < to) return i;
  }
  return -1;
};

/**
 * @param {Experiment} experiment
 * @param {Force} force
 */
const forcedIndexOf = (experiment, force) => {
  if (experiment.id === force.experimentId) {
    for (let i = 0; i < experiment.variations.length; i++) {
      if (experiment.variations[i].id === force.variationId) return i;
    }
  }
  return -1;
};

/**
 * A forced variation holds on every page: force comes before targeting, and before the visitor's bucket.
 * @param {Experiment} experiment
 * @param {string} visitorId
 * @param {Address} address
 * @param {Force} force
 * @returns {Decision | undefined}
 */
const decideOne = (experiment, visitorId, address, force) => {
  const forcedIndex = forcedIndexOf(experiment, force);
  const forced = forcedIndex >= 0;
  const index = forced ? forcedIndex : variationIndexOf(experiment, visitorId);
  const variation = experiment.variations[index];
  if (!variation) return undefined;
  return { experiment, variation, index, forced, active: forced || matchesPages(experiment.pages, address) };
};

/**
 * One decision for each experiment that has the visitor, in the config's order. One that is not `active` on this
 * page still attributes goals. An experiment whose rules cannot be read is left out and harms no other.
 * @param {Experiment[]} experiments
 * @param {string} visitorId
 * @param {Address} address
 * @param {Force} force
 */
export const decide = (experiments, visitorId, address, force) => {
  /** @type {Decision[]} */
  const decisions = [];
  for (const experiment of experiments) {
    try {
      const decision = decideOne(experiment, visitorId, address, force);
      if (decision) decisions[decisions.length] = decision;
    } catch {}
  }
  return decisions;
};
