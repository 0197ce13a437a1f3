// Part that decides personalizations, in the order of the config.

import { collect, reaches } from './decide.js';
import { bucketOf } from './hash.js';
import { record, some } from './lists.js';
import { decided, isLate } from './decisions.js';
import { matchesAudience, matchesPages } from './pages.js';
import { parts } from './parts.js';
import { isAbsent } from './treatments.js';

/** @import { Decision, Facts, Personalization, Placement } from './types' */

/**
 * Experience of the first rule that holds, else the default one.
 * @param {Personalization} personalization
 * @param {Facts} facts
 */
export const experienceOf = ({ rules, experiences }, facts) => {
  let selected = 'default';
  some(rules || [], ({ experience, pages, audience }) => {
    const isMatch = matchesAudience(audience, facts) && matchesPages(pages, facts);
    if (isMatch) selected = experience;
    return isMatch;
  });
  for (const experience of experiences) if (experience.key === selected) return experience;
  return undefined;
};

/**
 * @param {Personalization} personalization
 * @param {Facts} facts
 * @param {Record<string, boolean>} taken surfaces that already show a personalization
 * @returns {Placement | undefined}
 */
const decidePersonalization = (personalization, facts, taken) => {
  const { surface, state, below, pages } = personalization;
  if (!facts.unit || facts.held || taken[surface]) return undefined;
  if (!reaches(personalization, facts) || !matchesPages(pages, facts)) return undefined;
  const experience = experienceOf(personalization, facts);
  if (!experience) return undefined;
  const shown = bucketOf(facts.unit, state) < below;
  if (shown && surface !== 'global') taken[surface] = true;
  return { personalization, experience, shown };
};

/**
 * Convert a placement: each experience is delivered and measured as an experiment with two sides, shown and not shown.
 * @param {Placement} placement
 * @returns {Decision}
 */
const asDecision = ({ personalization, experience, shown }) => ({
  experiment: {
    id: experience.id,
    epoch: 1,
    state: personalization.state,
    type: 'mutation',
    reset_js: shown ? experience.reset_js : undefined,
    variations: [experience],
    goals: personalization.goals,
  },
  variation: shown ? experience : { id: personalization.id },
  index: 0,
  active: true,
});

parts._personalizations = (personalizations, facts) => {
  const taken = record();
  return collect(personalizations, (one) => decidePersonalization(one, facts, taken));
};

/** The visitor's experiments, then personalizations. */
parts._withPlacements = ({ assignments, personalizations }) => {
  let decisions = assignments;
  for (const placement of personalizations) decisions = [...decisions, asDecision(placement)];
  return decisions;
};

/** Value of the experience that is shown; undefined if none is shown. */
parts._valueOf = (key) => {
  for (const { personalization, experience, shown } of decided?.personalizations || []) {
    if (personalization.key !== key) continue;
    return shown && !isLate && !isAbsent(experience.id) ? experience.value : undefined;
  }
  return undefined;
};
