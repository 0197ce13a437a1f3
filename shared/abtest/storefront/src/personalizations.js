// The part that decides personalizations, each after its place in the config.

import { collect, reaches } from './decide.js';
import { bucketOf } from './hash.js';
import { record, some } from './lists.js';
import { decided, isLate } from './decisions.js';
import { matchesAudience, matchesPages } from './pages.js';
import { parts } from './parts.js';

/** @import { Decision, Facts, Personalization, Placement } from './types' */

/**
 * The experience of the first rule that holds, else the default one.
 * @param {Personalization} personalization
 * @param {Facts} facts
 */
const experienceOf = ({ rules, experiences }, facts) => {
  let wanted = 'default';
  some(rules || [], ({ experience, pages, audience }) => {
    const found = matchesAudience(audience, facts) && matchesPages(pages, facts);
    if (found) wanted = experience;
    return found;
  });
  for (const experience of experiences) if (experience.key === wanted) return experience;
  return undefined;
};

/**
 * @param {Personalization} personalization
 * @param {Facts} facts
 * @param {Record<string, boolean>} taken surfaces that show one already
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
 * A personalization is delivered and measured as an experiment of its own for each experience: with it, or without.
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

/** What the visitor is part of: experiments, then personalizations. */
parts._withPlacements = ({ assignments, personalizations }) => {
  let decisions = assignments;
  for (const placement of personalizations) decisions = [...decisions, asDecision(placement)];
  return decisions;
};

/** The value of the experience that is shown, undefined where none is. */
parts._valueOf = (key) => {
  for (const { personalization, experience, shown } of decided?.personalizations || []) {
    if (personalization.key === key) return shown && !isLate ? experience.value : undefined;
  }
  return undefined;
};
