// Part for experiments that landing pages show: the server has decided, and marked the page with its decision.

import { collect, indexWhere, seedOf } from './decide.js';
import { select } from './lists.js';
import { parts } from './parts.js';
import { dropSticky } from './visit.js';

/** @import { Decision, Experiment, Visitor } from './types' */

const MARK = 'meta[name=svc-served]';

/** Variation by experiment, from the mark `<experiment>:<variation>`. */
parts._served = () => {
  /** @type {HTMLMetaElement | null} */
  const mark = document.querySelector(MARK);
  const [id, variation] = (mark?.content || '').split(':');
  return { [id]: variation };
};

/**
 * The mark is what the visitor sees, so it is the decision. Without one, an earlier variation only counts goals.
 * @param {Experiment} experiment
 * @param {Visitor} visitor
 * @param {Decision | undefined} decision
 * @returns {Decision | undefined}
 */
const serve = (experiment, { served, sticky }, decision) => {
  if (!experiment.served || decision?.forced) return decision;
  const { id: key, variations } = experiment;
  const index = indexWhere(variations, ({ id }) => id === served?.[key]);
  const variation = variations[index];
  if (!variation) return decision?.sticky ? { ...decision, active: false } : undefined;
  return { experiment, variation, index, sticky: sticky?.[seedOf(experiment)] === variation.id, active: true };
};

parts._serve = (decided, experiments) => {
  const { assignments, facts } = decided;
  decided.assignments = collect(experiments, (experiment) => {
    const [decision] = select(assignments, (each) => each.experiment === experiment);
    return serve(experiment, facts.visitor, decision);
  });
};

/** A mark replaces what the visitor saw before: two variations of one experiment would be read in any order. */
parts._dropKept = dropSticky;
