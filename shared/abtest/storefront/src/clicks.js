// Part for click goals.

import { listen } from './guard.js';
import { goalsOf, reach } from './goals.js';
import { parts } from './parts.js';
import { turn } from './turns.js';

/** @import { Goal } from './types' */

/** Elements that a goal with a text but no selector may match. */
const CLICKABLE = 'a,button,input,label,summary,[role=button]';

/**
 * The goal's element: the clicked one, or an ancestor of it.
 * @param {Goal} goal
 * @param {Element} hit
 */
const clickedElement = ({ selector, text }, hit) => {
  const element = hit.closest(selector || CLICKABLE) || (selector ? null : hit);
  return element && (!text || parts._hasText(element, text)) ? element : null;
};

/** @param {Element} hit */
const countClick = (hit) => {
  for (const goal of goalsOf('click')) {
    try {
      const element = clickedElement(goal, hit);
      if (element) reach(goal, goal.capture && parts._captured(goal.capture, element));
    } catch {} // a selector that does not parse matches nothing
  }
};

parts._startClicks = () =>
  listen('click', (event) => {
    const hit = /** @type {Element} */ (event.composedPath()[0]);
    if ('closest' in hit) turn(() => countClick(hit));
  });
