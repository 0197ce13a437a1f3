// The part for treatments that cannot stand at once: what of the page is hidden meanwhile, and for how long it waits.

import { addCss } from './css.js';
import { drop } from './dropping.js';
import { expose } from './events.js';
import { now, startTimer } from './natives.js';
import { said } from './page.js';
import { parts } from './parts.js';
import { turn } from './turns.js';

/** How long a page waits for what its treatment needs, unless its tag says otherwise. */
const PATIENCE_MS = 800;
const MAX_PATIENCE_MS = 2000;

parts._wait = (treatment) => {
  const { _sheets: sheets, _decision: decision, _content: content } = treatment;
  // Mutations and style sheets stand before the next paint: only a script is worth hiding for.
  const hides = content.hide && (content.js != null || decision.experiment.js != null);
  if (!hides && !parts._needsChunks?.(treatment)) return;
  treatment._waits = true;
  const asked = parseInt(said.hideMs || '');
  const patience = asked >= 0 ? Math.min(asked, MAX_PATIENCE_MS) : PATIENCE_MS;
  treatment._until = now() + patience;
  startTimer(() => drop(treatment, 'timeout'), patience);
  if (hides) {
    let css = '';
    // Each selector is a rule of its own: one that does not parse harms no other.
    for (const selector of content.hide || []) css += `${selector}{opacity:0!important}`;
    sheets[sheets.length] = treatment._reveal = addCss(css);
  }
  parts._loadScripts?.(treatment);
};

/** Where what it waits for has not come, or too late: then it is given up. */
parts._isLate = (treatment) => {
  const isLate = now() > Number(treatment._until);
  if (isLate && !treatment._missing) drop(treatment, 'timeout');
  return isLate || treatment._missing > 0;
};

parts._reveal = (treatment) => {
  treatment._reveal?.();
  if (treatment._waits) turn(() => expose(treatment._decision));
};
