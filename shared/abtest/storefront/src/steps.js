// Steps of decisions that settle them, for explanations: why a visitor gets nothing, and what was compared.

import { isWithin, stateOf } from './decide.js';
import { excerptOf } from './excerpts.js';
import { bucketOf } from './hash.js';
import { some } from './lists.js';
import { refusedAudience } from './refusals.js';
import { localTime } from './weekdays.js';

/** @import { Config, Dark, Experiment, Facts, Targeted, Visitor } from './types' */

/** @typedef {{ step: string, detail: any }} Step */

/** @type {(step: string, detail?: object) => Step} */
export const stepOf = (step, detail = {}) => ({ step, detail });

/**
 * The bucket of an id and the ranges of buckets that it must be in.
 * @param {string} id
 * @param {number} state
 * @param {[number, number][]} ranges
 */
export const drawOf = (id, state, ranges) => {
  /** @type {[number, number][]} */
  const copied = [];
  for (const range of ranges) copied[copied.length] = [range[0], range[1]]; // destructuring is slow
  return { bucket: bucketOf(id, state), ranges: copied };
};

/** @param {{ bucket: number, ranges: [number, number][] }} draw */
export const isDrawn = ({ bucket, ranges }) => some(ranges, (range) => isWithin(range, bucket));

/**
 * @param {string} id
 * @param {{ state: number, below: number }} share
 */
export const drawOfShare = (id, { state, below }) => drawOf(id, state, [[0, below]]);

/**
 * Why a visitor without an id or of the holdout gets nothing; undefined for others.
 * @param {Facts} facts
 * @param {Config} config
 */
export const refusedUnit = ({ unit, held }, { holdout }) => {
  if (!unit) return stepOf('no_id');
  return held && holdout ? stepOf('holdout', drawOfShare(unit, holdout)) : undefined;
};

/**
 * @param {Dark | undefined} dark
 * @param {Facts} facts
 */
export const refusedDay = (dark, { now }) => {
  const day = dark && localTime(dark.zone, now)?.day;
  if (!dark || !some(dark.days, (each) => each === day)) return undefined;
  return stepOf('weekday', { day, zone: dark.zone, days: excerptOf(dark.days) });
};

/**
 * Why the day or the audience keeps the visitor out; undefined if they do not.
 * @param {Targeted} targeted
 * @param {Facts} facts
 */
export const unreached = ({ dark, audience }, facts) => refusedDay(dark, facts) || refusedAudience(audience, facts);

/**
 * @param {Experiment} experiment
 * @param {Facts} facts
 */
export const refusedSurface = ({ surface }, { visitor }) => {
  if ((surface || '') === (visitor.surface || '')) return undefined;
  return stepOf('surface', { here: excerptOf(visitor.surface || null), expected: surface || null });
};

/**
 * @param {Experiment} experiment
 * @param {Facts} facts
 * @param {Config} config
 */
export const ineligible = ({ group }, facts, config) => {
  const refused = refusedUnit(facts, config);
  if (refused || !group) return refused;
  const draw = drawOf(facts.unit, group.state, group.ranges);
  return isDrawn(draw) ? undefined : stepOf('exclusion_group', { group: group.id, ...draw });
};

/**
 * The draw of an experiment by the id that it hashes; undefined without that id.
 * @param {Experiment} experiment
 * @param {Visitor} visitor
 */
export const drawOfExperiment = (experiment, { id, customer_id: customer }) => {
  const byCustomer = experiment.identity && customer;
  const hashed = byCustomer || id;
  if (!hashed) return undefined;
  /** @type {[number, number][]} */
  const ranges = [];
  for (const { range } of experiment.variations) ranges[ranges.length] = range;
  const draw = drawOf(hashed, stateOf(experiment), ranges);
  return byCustomer ? { ...draw, identity: 'customer' } : draw;
};
