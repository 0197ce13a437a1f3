// The part for goals that are clicks.

import { listen } from './guard.js';
import { goalsOf, reach } from './goals.js';
import { parts } from './parts.js';
import { turn } from './turns.js';

/** @import { Goal } from './types' */

/** What a click on a text without a selector may have meant. */
const CLICKABLE = 'a,button,input,label,summary,[role=button]';

/**
 * The element that the goal means, going outwards from the one that was hit.
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
