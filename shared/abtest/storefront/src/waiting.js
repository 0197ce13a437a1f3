// Treatments that cannot stand at once: what of the page is hidden meanwhile, and for how long it waits.

import { addCss } from './css.js';
import { now, startTimer } from './natives.js';
import { parts } from './parts.js';

/** @import { Treatment } from './types' */

/**
 * Mutations and style sheets stand before the next paint: only a script is worth hiding for.
 * @param {Treatment} treatment
 */
const hides = ({ decision, content }) =>
  !!content.hide && (content.js != null || decision.experiment.js != null);

parts._waitsFor = (treatment, scripts) => hides(treatment) || !!parts._needsChunks?.(treatment, scripts);

parts._wait = (treatment, patience) => {
  const { sheets, content } = treatment;
  const until = now() + patience;
  treatment._isLate = () => now() > until;
  startTimer(() => treatment._drop?.('timeout'), patience);
  if (!hides(treatment)) return;
  let css = '';
  // Each selector is a rule of its own: one that does not parse harms no other.
  for (const selector of content.hide || []) css += `${selector}{opacity:0!important}`;
  sheets[sheets.length] = treatment._reveal = addCss(css);
};
