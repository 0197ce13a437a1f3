// The part for triggers of page rules: what has happened on this page view, and being told when what a rule waits for
// happens. A trigger is set up by asking for it, so that a page pays only for those its rules wait for.

import { createDataLayer } from './data_layer.js';
import { guard, listen } from './guard.js';
import { record } from './lists.js';
import { again } from './decisions.js';
import { keysOf, now, startTimer } from './natives.js';
import { parts } from './parts.js';
import { refuseOpen } from './selectors.js';

/** Those that fired on this page view; false for those that a timer runs for. @type {Record<string, boolean>} */
let fired = record();
/** Those that were asked for when it was last decided, and the data layer. @type {Record<string, boolean>} */
let asked = record();
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
    if (view === fired) again();
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
    if (document.querySelector(selectors)) again();
  };
  observer = new MutationObserver(guard('trigger', onChange));
  layer = createDataLayer(parts._note);
  // Also for a page that has put another array in the place of its data layer.
  listen('DOMContentLoaded', () => {
    if (keysOf(asked).length) again();
  });
};

/** The page has told of an event. */
parts._note = (name) => {
  const trigger = `event:${name}`;
  const isNews = asked[trigger] && !fired[trigger];
  fired[trigger] = true;
  if (isNews || asked.data) again();
};

parts._beginTriggers = (isView) => {
  asked = record();
  selectors = '';
  if (!isView) return;
  fired = record();
  if (since) layer.reset();
  since = now();
};

parts._fired = (trigger) => {
  const [, kind, argument] = /** @type {string[]} */ (/^(\w+):?([^]*)$/.exec(trigger));
  const holds = fired[trigger] || kinds[kind](argument, trigger);
  asked[trigger] = true;
  return (fired[trigger] ||= !!holds);
};

parts._hasFired = (trigger, { visitor }) => !!visitor.fired?.(trigger);

parts._watchTriggers = () => {
  observer.disconnect();
  if (selectors) observer.observe(document, { childList: true, subtree: true, attributes: true });
};

/** What the page's data layer says. */
parts._dataLayer = () => {
  const data = layer.read();
  asked.data = true;
  return data;
};
