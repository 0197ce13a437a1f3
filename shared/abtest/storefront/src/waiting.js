// Part for treatments that cannot apply at once: hides parts of the page meanwhile, up to a time limit.

import { addCss } from './css.js';
import { drop } from './dropping.js';
import { now, startTimer } from './natives.js';
import { tagOptions } from './page.js';
import { parts } from './parts.js';

/** Time limit of a treatment, unless the tag has `data-hide-ms`. */
const PATIENCE_MS = 800;
const MAX_PATIENCE_MS = 2000;

parts._wait = (treatment) => {
  const { _sheets: sheets, _decision: decision, _content: content } = treatment;
  // Mutations and style sheets apply before the next paint, so content is hidden only for a script.
  const hides = content.hide && (content.js != null || decision.experiment.js != null);
  if (!hides && !parts._needsChunks?.(treatment)) return;
  treatment._waits = true;
  const limit = parseInt(tagOptions.hideMs || '');
  const patience = limit >= 0 ? Math.min(limit, MAX_PATIENCE_MS) : PATIENCE_MS;
  treatment._until = now() + patience;
  startTimer(() => drop(treatment, 'timeout'), patience);
  if (hides) {
    let css = '';
    // Each selector has its own rule, so that an invalid one does not affect the others.
    for (const selector of content.hide || []) css += `${selector}{opacity:0!important}`;
    sheets[sheets.length] = treatment._reveal = addCss(css);
  }
  parts._loadScripts?.(treatment);
};

/** Return whether chunks are missing or the time limit is over; drop the treatment in the second case. */
parts._isLate = (treatment) => {
  const isLate = now() > Number(treatment._until);
  if (isLate && !treatment._missing) drop(treatment, 'timeout');
  return isLate || treatment._missing > 0;
};

parts._reveal = (treatment) => {
  treatment._reveal?.();
};
