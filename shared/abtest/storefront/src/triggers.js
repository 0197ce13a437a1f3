// Part for triggers of page rules: records which have fired in this page view, and decides decideAgain when one fires.
// A trigger is set up when a rule checks it, so a page pays only for the triggers that its rules use.

import { createDataLayer } from './data_layer.js';
import { guard, listen } from './guard.js';
import { record } from './lists.js';
import { decideAgain } from './decisions.js';
import { keysOf, now, startTimer } from './natives.js';
import { parts } from './parts.js';
import { refuseOpen } from './selectors.js';

/** Triggers fired in this page view; false while the timer of a trigger runs. @type {Record<string, boolean>} */
let fired = record();
/** Triggers checked by the last decision, and `data` if it read the data layer. @type {Record<string, boolean>} */
let checked = record();
let since = 0;
let selectors = '';
/** @type {ReturnType<typeof createDataLayer>} */
let layer;
/** @type {MutationObserver} */
let observer;

/**
 * @param {number} ms
 * @param {string} trigger
 */
const wait = (ms, trigger) => {
  const view = fired;
  view[trigger] = false;
  const elapsed = () => {
    view[trigger] = true;
    if (view === fired) decideAgain();
  };
  startTimer(guard('trigger', elapsed), ms);
};

/** @type {Record<string, (argument: string, trigger: string) => unknown>} */
const kinds = {
  dom_ready: () => document.readyState !== 'loading',

  element(selector) {
    refuseOpen(selector);
    if (document.querySelector(selector)) return true;
    selectors += (selectors && ',') + selector;
    return false;
  },

  event(_, trigger) {
    layer.read();
    return fired[trigger];
  },

  delay(ms, trigger) {
    const left = +ms - (now() - since);
    if (left > 0 && !(trigger in fired)) wait(left, trigger);
    return left <= 0;
  },
};

parts._startTriggers = () => {
  const onChange = () => {
    if (document.querySelector(selectors)) decideAgain();
  };
  observer = new MutationObserver(guard('trigger', onChange));
  layer = createDataLayer(parts._note);
  // The page may have replaced the array of its data layer.
  listen('DOMContentLoaded', () => {
    if (keysOf(checked).length) decideAgain();
  });
};

/** Record an event of the page. */
parts._note = (name) => {
  const trigger = `event:${name}`;
  const isNews = checked[trigger] && !fired[trigger];
  fired[trigger] = true;
  if (isNews || checked.data) decideAgain();
};

parts._beginTriggers = (isView) => {
  checked = record();
  selectors = '';
  if (!isView) return;
  fired = record();
  if (since) layer.reset();
  since = now();
};

parts._fired = (trigger) => {
  const [, kind, argument] = /** @type {string[]} */ (/^(\w+):?([^]*)$/.exec(trigger));
  const holds = fired[trigger] || kinds[kind](argument, trigger);
  checked[trigger] = true;
  return (fired[trigger] ||= !!holds);
};

parts._hasFired = (trigger, { visitor }) => !!visitor.fired?.(trigger);

parts._watchTriggers = () => {
  observer.disconnect();
  if (selectors) observer.observe(document, { childList: true, subtree: true, attributes: true });
};

/** Merged data of the page's data layer. */
parts._dataLayer = () => {
  const data = layer.read();
  checked.data = true;
  return data;
};
