// Explanation of decisions: the step of `decide` that settled each experiment, personalization and flag, and what that
// step compared. No snippet contains it; docs/explanations.md describes its answer, which is the same as that of
// `abtest.domain.assignment.explanation`.

import { forcedIndexOf, indexWhere, isWithin, keptIndexOf } from './decide.js';
import { excerptOf } from './excerpts.js';
import { record } from './lists.js';
import { isArray } from './natives.js';
import { experienceOf } from './personalizations.js';
import { refusedAudience, refusedPages } from './refusals.js';
import { drawOfExperiment, drawOfShare, ineligible, isDrawn, refusedDay } from './steps.js';
import { refusedSurface, refusedUnit, stepOf, unreached } from './steps.js';

/** @import { Address, Config, Experiment, Facts, Flag, Force, Personalization, Visitor } from './types' */
/** @import { SvcAssigned, SvcExplanation } from '../svc' */
/** @import { Step } from './steps.js' */

/** @typedef {Step & { applied: boolean, assigned?: any, value?: any, reason?: any }} Outcome */

/**
 * Each name written out: object spreads take several times as long as everything else here.
 * @param {Step} step
 * @param {boolean} applied
 * @param {object | null} assigned
 * @returns {Outcome}
 */
const outcomeOf = ({ step, detail }, applied, assigned) => ({ step, detail, applied, assigned });

/**
 * @param {Experiment} experiment
 * @param {number} index
 * @param {SvcAssigned['by']} by
 * @returns {SvcAssigned | null}
 */
const assignedTo = ({ variations }, index, by) => (index < 0 ? null : { id: variations[index].id, index, by });

/**
 * An experiment that landing pages show: what the page is marked with; without a mark, what the visitor had before.
 * @param {Experiment} experiment
 * @param {Facts} facts
 * @param {Config} config
 */
const explainServed = (experiment, facts, config) => {
  const mark = facts.visitor.served?.[experiment.id];
  const step = stepOf('served', { mark: typeof mark === 'string' ? excerptOf(mark) : null });
  const index = indexWhere(experiment.variations, ({ id }) => id === mark);
  if (index >= 0) return outcomeOf(step, true, assignedTo(experiment, index, 'served'));
  const kept = ineligible(experiment, facts, config) ? -1 : keptIndexOf(experiment, facts.visitor);
  return outcomeOf(step, false, assignedTo(experiment, kept, 'sticky'));
};

/**
 * Explain for a variation that is sticky or drawn.
 * @param {Experiment} experiment
 * @param {Facts} facts
 * @param {Step} step the step that has assigned it
 * @param {SvcAssigned | null} assigned
 */
const explainReach = (experiment, facts, step, assigned) => {
  const away = refusedSurface(experiment, facts) || unreached(experiment, facts);
  if (away) return outcomeOf(away, false, step.step === 'sticky' ? assigned : null);
  const elsewhere = refusedPages(experiment.pages, facts);
  return outcomeOf(elsewhere || step, !elsewhere, assigned);
};

/**
 * @param {Experiment} experiment
 * @param {Facts} facts
 * @param {Config} config
 */
const explainExperiment = (experiment, facts, config) => {
  const forced = forcedIndexOf(experiment, facts);
  if (forced >= 0) return outcomeOf(stepOf('forced'), true, assignedTo(experiment, forced, 'forced'));
  if (experiment.served) return explainServed(experiment, facts, config);
  const refused = ineligible(experiment, facts, config);
  if (refused) return outcomeOf(refused, false, null);
  const kept = assignedTo(experiment, keptIndexOf(experiment, facts.visitor), 'sticky');
  if (kept) return explainReach(experiment, facts, stepOf('sticky'), kept);
  const draw = drawOfExperiment(experiment, facts.visitor);
  if (!draw) return outcomeOf(stepOf('no_id'), false, null);
  const index = indexWhere(experiment.variations, ({ range }) => isWithin(range, draw.bucket));
  if (index < 0) return outcomeOf(stepOf('traffic', draw), false, null);
  return explainReach(experiment, facts, stepOf('assigned', draw), assignedTo(experiment, index, 'hash'));
};

/**
 * @param {Personalization} personalization
 * @param {Facts} facts
 * @param {Config} config
 * @param {Record<string, string>} taken keys of the personalizations that surfaces show already
 */
const explainPersonalization = (personalization, facts, config, taken) => {
  const { surface, rules, pages, key } = personalization;
  const refused =
    refusedUnit(facts, config) ||
    (surface in taken && stepOf('surface_taken', { surface, by: taken[surface] })) ||
    unreached(personalization, facts) ||
    refusedPages(pages, facts);
  if (refused) return outcomeOf(refused, false, null);
  const experience = experienceOf(personalization, facts);
  if (!experience) return outcomeOf(stepOf('no_experience', { rules: rules?.length || 0 }), false, null);
  const draw = drawOfShare(facts.unit, personalization);
  const applied = isDrawn(draw);
  if (applied && surface !== 'global') taken[surface] = key;
  const assigned = { id: experience.id, key: experience.key };
  return outcomeOf(stepOf(applied ? 'assigned' : 'traffic', draw), applied, assigned);
};

/**
 * @param {Flag} flag
 * @param {Facts} facts
 * @returns {[reason: string, step: Step]}
 */
const settledFlag = (flag, facts) => {
  if (flag.paused) return ['paused', stepOf('paused')];
  const day = refusedDay(flag.dark, facts);
  if (day) return ['dark', day];
  const refused = refusedAudience(flag.audience, facts) || refusedPages(flag.pages, facts);
  if (refused) return ['targeting', refused];
  if (!facts.unit) return ['rollout', stepOf('no_id')];
  const draw = drawOfShare(facts.unit, flag);
  return isDrawn(draw) ? ['on', stepOf('assigned', draw)] : ['rollout', stepOf('traffic', draw)];
};

/**
 * @param {Flag} flag
 * @param {Facts} facts
 */
const explainFlag = (flag, facts) => {
  const [reason, { step, detail }] = settledFlag(flag, facts);
  const applied = reason === 'on';
  return { step, detail, applied, value: excerptOf(applied ? flag.on : flag.off), reason };
};

/** @param {any} text */
const textOf = (text) => (typeof text === 'string' ? excerptOf(text) : null);

/** @type {(item: any, outcome: Outcome) => object} */
const experimentEntry = (item, { step, detail, applied, assigned }) => {
  return { id: textOf(item?.id), name: textOf(item?.name), step, detail, applied, assigned };
};

/** @type {(item: any, outcome: Outcome) => object} */
const personalizationEntry = (item, { step, detail, applied, assigned }) => {
  return { id: textOf(item?.id), key: textOf(item?.key), name: textOf(item?.name), step, detail, applied, assigned };
};

/** @type {(item: any, outcome: Outcome) => object} */
const flagEntry = (item, { step, detail, applied, value, reason }) => {
  return { id: textOf(item?.id), key: textOf(item?.key), step, detail, applied, value, reason };
};

/**
 * The outcome of an entry of any kind about which nothing is decided.
 * @param {string} step
 * @returns {Outcome}
 */
const undecided = (step) => ({ step, detail: {}, applied: false, assigned: null, value: null, reason: null });

/**
 * Entries of a list. One that cannot be read has the step `unreadable`, and does not affect the others.
 * @param {unknown} items
 * @param {(item: any, outcome: Outcome) => object} entryOf
 * @param {(item: any) => Outcome} work
 */
const entriesOf = (items, entryOf, work) => {
  /** @type {any[]} */
  const entries = [];
  for (const item of isArray(items) ? items : []) {
    let outcome;
    try {
      outcome = work(item);
    } catch {
      outcome = undecided('unreadable');
    }
    entries[entries.length] = entryOf(item, outcome);
  }
  return entries;
};

/**
 * Explain every decision of `decide` for the same arguments. An entry that cannot be read stops no other.
 * @param {Config} config
 * @param {Visitor} visitor
 * @param {Address | undefined} address
 * @param {number} now Unix milliseconds
 * @param {Force} [force]
 * @returns {SvcExplanation}
 */
export const explain = (config, visitor, address, now, force) => {
  const { holdout, zones, experiments, personalizations, flags } = config;
  const unit = visitor.id || visitor.customer_id || '';
  const held = !!unit && !!holdout && isDrawn(drawOfShare(unit, holdout));
  /** @type {Facts} */
  const facts = { visitor, unit, held, address, now, force, zones };
  const taken = record();
  return {
    experiments: entriesOf(experiments, experimentEntry, (each) => explainExperiment(each, facts, config)),
    personalizations: entriesOf(personalizations, personalizationEntry, (each) =>
      explainPersonalization(each, facts, config, taken),
    ),
    flags: entriesOf(flags, flagEntry, (each) => explainFlag(each, facts)),
  };
};

/**
 * Explain a page where nothing is decided: the same entries, all stopped at one step.
 * @param {Config} config
 * @param {'bot' | 'consent'} step
 * @returns {SvcExplanation}
 */
export const explainStopped = ({ experiments, personalizations, flags }, step) => {
  const stopped = () => undecided(step);
  return {
    experiments: entriesOf(experiments, experimentEntry, stopped),
    personalizations: entriesOf(personalizations, personalizationEntry, stopped),
    flags: entriesOf(flags, flagEntry, stopped),
  };
};
