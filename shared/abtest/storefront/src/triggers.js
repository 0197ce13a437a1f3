// Triggers of page rules: what has happened on this page view, and being told when what a rule waits for happens.
// A trigger is set up by asking for it, so that a page pays only for those its rules wait for.

import { createDataLayer } from './data_layer.js';
import { record } from './lists.js';
import { now, startTimer } from './natives.js';

/** @import { Guard } from './types' */

/**
 * @param {Guard} guard
 * @param {() => void} again decides anew
 */
export const createTriggers = (guard, again) => {
  /** Those that fired on this page view. @type {Record<string, boolean>} */
  let fired = record();
  /** Those asked for when it was last decided. @type {Record<string, boolean>} */
  let asked = record();
  /** Timers run for them. @type {Record<string, boolean>} */
  let delayed = record();
  let since = 0;
  let selectors = '';
  let readsData = false;

  /** @param {string} trigger */
  const fire = (trigger) => {
    fired[trigger] = true;
    return asked[trigger];
  };

  let newEvent = false;
  const layer = createDataLayer(
    guard,
    (name) => {
      newEvent = fire(`event:${name}`) || newEvent;
    },
    () => {
      if (newEvent || readsData) again();
      newEvent = false;
    },
  );

  /** @type {Record<string, (argument: string, trigger: string) => boolean>} */
  const kinds = {
    dom_ready: () => document.readyState !== 'loading',

    element(selector) {
      if (document.querySelector(selector)) return true;
      selectors += (selectors && ',') + selector;
      return false;
    },

    event(_, trigger) {
      layer.listen();
      return fired[trigger];
    },

    delay(ms, trigger) {
      const left = +ms - (now() - since);
      if (left <= 0) return true;
      const view = fired;
      if (!delayed[trigger]) {
        delayed[trigger] = true;
        startTimer(
          guard('trigger', () => {
            view[trigger] = true;
            if (view === fired) again();
          }),
          left,
        );
      }
      return false;
    },
  };

  const observer = new MutationObserver(
    guard('trigger', () => {
      if (document.querySelector(selectors)) again();
    }),
  );

  for (const name of ['DOMContentLoaded', 'load']) {
    addEventListener(
      name,
      guard('trigger', () => {
        if (layer.isReplaced() || asked.dom_ready) again();
      }),
    );
  }

  return {
    /** Before it is decided. @param {boolean} isView whether a page view begins */
    begin(isView) {
      asked = record();
      selectors = '';
      readsData = false;
      if (!isView) return;
      [fired, delayed, since] = [record(), record(), now()];
      layer.reset();
    },

    /** @param {string} trigger */
    fired(trigger) {
      asked[trigger] = true;
      const [, kind, argument] = /** @type {string[]} */ (/^(\w+):?([^]*)$/.exec(trigger));
      return fired[trigger] || (fired[trigger] = kinds[kind](argument, trigger));
    },

    /** After it was decided. */
    watch() {
      observer.disconnect();
      if (selectors) observer.observe(document, { childList: true, subtree: true, attributes: true });
    },

    /** The page has told of an event. @param {string} name */
    note(name) {
      if (fire(`event:${name}`)) again();
    },

    /** What the page's data layer says. */
    data() {
      layer.listen();
      readsData = true;
      return layer.data;
    },
  };
};
