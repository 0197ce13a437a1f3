// Detects whether the page has rendered the content of its new address. Many pages change the address first and show
// the old content until data has loaded. Until then it keeps its treatments, and the next treatments' scripts wait.
import { some } from './lists.js';
import { now, startTimer, stopTimer } from './natives.js';
import { tagOptions } from './page.js';
import { parts } from './parts.js';
import { settleSoon } from './treatments.js';

/** Limit for slow data, and for pages whose rendering we do not recognise. */
const PATIENCE_MS = 500;
/** The wait ends this long before the tag's time limit, after which a treatment that hides content is dropped. */
const SPARE_MS = 100;
/** Some pages render first and then change the address. */
const RECENT_MS = 50;

let drawnAt = 0;

const end = () => {
  stopTimer(parts._awaited);
  parts._awaited = 0;
  settleSoon();
};

/**
 * Rendering a new page removes elements. Spinners and scripts only add elements; tickers write text nodes.
 * @param {MutationRecord} record
 */
const isDrawn = ({ target, removedNodes }) =>
  removedNodes[0] && some(removedNodes, ({ nodeType }) => nodeType === 1) && !document.head.contains(target);

/** Record changes by the page. @param {MutationRecord[]} records */
export const noteDrawing = (records) => {
  if (!some(records, isDrawn)) return;
  drawnAt = now();
  if (parts._awaited) end();
};

export const awaitDrawing = () => {
  if (parts._awaited || document.hidden || now() - drawnAt < RECENT_MS) return;
  const limit = parseInt(tagOptions.hideMs || '') - SPARE_MS;
  parts._awaited = startTimer(end, limit < PATIENCE_MS ? limit : PATIENCE_MS);
};
