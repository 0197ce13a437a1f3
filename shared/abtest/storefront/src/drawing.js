// Whether the page has drawn what belongs to its new address. Many pages change the address first, and show what they
// are leaving until data has come: so long it keeps its treatments, and scripts of the next wait.

import { some } from './lists.js';
import { now, startTimer, stopTimer } from './natives.js';
import { said } from './page.js';
import { parts } from './parts.js';
import { settleSoon } from './treatments.js';

/** For pages that draw nothing we know for a new page, and for slow data. */
const PATIENCE_MS = 500;
/** What is hidden until its script has run is given up when the time that the tag lets it wait is over: not by us. */
const SPARE_MS = 100;
/** Some draw first, and change the address then. */
const RECENT_MS = 50;

let drawnAt = 0;

const end = () => {
  stopTimer(parts._awaited);
  parts._awaited = 0;
  settleSoon();
};

/**
 * A new page takes elements of the old one away. Spinners, scripts and what they load are added; tickers write texts.
 * @param {MutationRecord} record
 */
const isDrawn = ({ target, removedNodes }) =>
  some(removedNodes, ({ nodeType }) => nodeType === 1) && !document.head.contains(target);

/** What the page has changed. @param {MutationRecord[]} records */
export const noteDrawing = (records) => {
  if (!some(records, isDrawn)) return;
  drawnAt = now();
  if (parts._awaited) end();
};

export const awaitDrawing = () => {
  if (parts._awaited || document.hidden || now() - drawnAt < RECENT_MS) return;
  const limit = parseInt(said.hideMs || '') - SPARE_MS;
  parts._awaited = startTimer(end, limit < PATIENCE_MS ? limit : PATIENCE_MS);
};
