// Part that excludes visitors from experiments: by the holdout, and by shares of exclusion groups.

import { isWithin } from './decide.js';
import { bucketOf } from './hash.js';
import { some } from './lists.js';
import { decided } from './decisions.js';
import { keysOf } from './natives.js';
import { config } from './page.js';
import { parts } from './parts.js';

parts._isHeld = ({ state, below }, unit) => !!unit && bucketOf(unit, state) < below;

parts._cohortOf = ({ held, force }) => (force && keysOf(force).length ? null : held ? 'holdout' : 'active');

/** Page view data with the cohort, in shops with a holdout. */
parts._withCohort = (data) => {
  const cohort = decided?.cohort;
  return cohort && { ...data, cohort, holdout_config_epoch: config.holdout?.epoch };
};

parts._isInShare = ({ state, ranges }, unit) => {
  const bucket = bucketOf(unit, state);
  return some(ranges, (range) => isWithin(range, bucket));
};
