// Steps of an explanation as sentences. The steps have the server's words, which docs/targeting.md explains.

/** @import { SvcSettled, SvcStepDetails } from '../svc' */

/** @param {unknown} value */
const json = (value) => (value === null ? 'nothing' : JSON.stringify(value));

/** @param {number} rule */
const nth = (rule) => `rule ${rule + 1}`;

/** @param {SvcStepDetails['traffic']} draw */
const drawOf = ({ bucket, ranges, identity }) => {
  const places = ranges.filter(([from, to]) => from < to).map(([from, to]) => `${from}–${to - 1}`);
  return `${identity ? 'the customer' : 'the visitor'} has bucket ${bucket}; it takes ${places.join(', ') || 'none'}`;
};

/** @param {{ attribute: string | null, condition: unknown, value: unknown }} comparison */
const comparisonOf = ({ attribute, condition, value }) =>
  attribute ? `${attribute} is ${json(value)}, compared with ${json(condition)}` : `${json(condition)}`;

/** @type {{ [Step in keyof SvcStepDetails]: (detail: SvcStepDetails[Step]) => string }} */
const SENTENCES = {
  bot: () => 'This browser looks automated, or like a crawler: nothing is decided for it.',
  consent: () => 'The visitor has not given consent yet: nothing is decided.',
  unreadable: () => 'This entry of the config cannot be read.',
  forced: () => 'Forced.',
  served: ({ mark }) =>
    mark
      ? 'This landing page was sent with the variation.'
      : 'A landing page decides it, and this page is another.',
  no_id: () => 'The visitor has no id.',
  holdout: (draw) => `Held out of everything: ${drawOf(draw)}.`,
  exclusion_group: (draw) => `Another experiment of the exclusion group has this visitor: ${drawOf(draw)}.`,
  sticky: () => 'Kept from an earlier visit.',
  traffic: (draw) => `Outside the traffic: ${drawOf(draw)}.`,
  surface: ({ here, expected }) =>
    `For the ${expected || 'storefront'}; this page is the ${here || 'storefront'}.`,
  weekday: ({ day, zone }) => `Not delivered on ${day} (${zone}).`,
  audience: ({ rule, sense, ...rest }) =>
    `${sense === 'out' ? 'Excluded by' : 'Not in'} the audience, ${nth(rule)}: ${comparisonOf(rest)}.`,
  page_rule: (detail) => {
    const place = nth(detail.rule);
    if (detail.because === 'condition')
      {return `The condition of page ${place} does not hold: ${comparisonOf(detail)}.`;}
    const rules = json(detail.condition);
    if (detail.because === 'not_included') return `Page ${place} does not include this address: ${rules}.`;
    return `Page ${place} excludes this address: ${rules}.`;
  },
  trigger: ({ rule, trigger }) => `Page ${nth(rule)} waits for the trigger ${trigger}, which has not fired.`,
  surface_taken: ({ surface, by }) => `${by} is shown on the surface ${surface} already.`,
  no_experience: () => 'No rule holds, and there is no default experience.',
  paused: () => 'The flag is paused.',
  assigned: (draw) => `In: ${drawOf(draw)}.`,
};

/**
 * @param {SvcSettled} settled
 * @returns {string}
 */
export const sentenceOf = ({ step, detail }) => {
  const sentence = /** @type {((detail: any) => string) | undefined} */ (SENTENCES[step]);
  return sentence ? sentence(detail) : step;
};
