// Puts a draft into the config that the page's own snippet has: nothing else of the page changes.

import { parts } from '../src/parts.js';

/** @import { Config, Flag, Personalization, Scripts } from '../src/types' */

/**
 * What is looked at: the draft, as publications compile it, and what of it is to be shown.
 * @typedef {{
 *   state: string, message?: string, kind?: 'experiment' | 'personalization' | 'flag', id?: string, name?: string,
 *   variationId?: string, experience?: string, value?: 'on' | 'off', version?: number, status?: string,
 *   expiresAt?: string, hosts?: string[], token?: string, variations?: { id: string, name: string }[],
 * }} Preview
 * @typedef {{ preview?: Preview, draft?: Partial<Config>, names?: Record<string, string> }} Outcome
 */

const SCRIPTS = ['js', 'reset_js'];
/** Targeting and share of what every visitor gets. */
const ANYWHERE = { pages: undefined, audience: undefined, dark: undefined, below: 10_000 };

/**
 * A copy whose scripts are found behind those of the page's own snippet.
 * @param {any} part
 * @param {number} offset
 * @returns {any}
 */
const moved = (part, offset) => {
  if (Array.isArray(part)) return part.map((each) => moved(each, offset));
  if (!part || typeof part !== 'object') return part;
  /** @type {Record<string, any>} */
  const copy = {};
  for (const [name, value] of Object.entries(part)) {
    copy[name] = SCRIPTS.includes(name) && typeof value === 'number' ? value + offset : moved(value, offset);
  }
  return copy;
};

/**
 * The list with the drafts in the place of what has their ids, or last.
 * @template {{ id: string }} T
 * @param {T[] | undefined} published
 * @param {T[] | undefined} drafts
 */
const replaced = (published = [], drafts = []) => {
  const isNew = (/** @type {T} */ { id }) => !published.some((each) => each.id === id);
  return [
    ...published.map((each) => drafts.find(({ id }) => id === each.id) || each),
    ...drafts.filter(isNew),
  ];
};

/**
 * The list with the drafts first, so that nothing else takes their surface.
 * @template {{ id: string }} T
 * @param {T[] | undefined} published
 * @param {T[] | undefined} drafts
 */
const preferred = (published = [], drafts = []) => [
  ...drafts,
  ...published.filter(({ id }) => !drafts.some((each) => each.id === id)),
];

/**
 * The personalization as every visitor gets it: the one experience, everywhere.
 * @param {Personalization} personalization
 * @param {string | undefined} key
 */
const shownAlways = (personalization, key) => ({
  ...personalization,
  ...ANYWHERE,
  rules: personalization.experiences.filter((each) => each.key === key).map(() => ({ experience: `${key}` })),
});

/** @param {Flag} flag @param {'on' | 'off' | undefined} value */
const valued = (flag, value) => ({
  ...flag,
  ...ANYWHERE,
  paused: undefined,
  on: value === 'off' ? flag.off : flag.on,
});

/**
 * The config of the page with the draft in it, all of it shown.
 * @param {Config} config
 * @param {Scripts} scripts
 * @param {Outcome} outcome
 * @param {Scripts} own scripts of the draft
 * @returns {{ config: Config, scripts: Scripts, judged: Config }} `judged` has the draft with its own targeting
 */
export const merged = (config, scripts, { draft, preview }, own) => {
  if (!draft) return { config, scripts, judged: config };
  if (draft.ids) parts._name(/** @type {Config} */ (draft)); // of a draft with many of them
  const { experiments, personalizations, flags, runtime, zones = [] } = moved(draft, scripts.length);
  /** @type {Config} */
  const judged = {
    ...config,
    runtime: { ...config.runtime, ...runtime }, // where long code is, which the page may not have
    experiments: replaced(config.experiments, experiments),
    personalizations: replaced(config.personalizations, personalizations),
    flags: replaced(config.flags, flags),
    zones: [...new Set([...(config.zones || []), ...zones])],
  };
  const { experience, value } = preview || {};
  return {
    config: {
      ...judged,
      // Who is held out would be shown no personalization; experiments are forced.
      holdout: personalizations ? undefined : judged.holdout,
      personalizations: preferred(
        judged.personalizations,
        personalizations?.map((/** @type {Personalization} */ each) => shownAlways(each, experience)),
      ),
      flags: replaced(
        judged.flags,
        flags?.map((/** @type {Flag} */ each) => valued(each, value)),
      ),
    },
    scripts: [...scripts, ...own],
    judged,
  };
};
