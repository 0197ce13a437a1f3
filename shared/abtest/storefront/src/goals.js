// The part for goals that the page itself can see: clicks and page views. Custom events and orders come through the
// API, and the server counts them for custom and revenue goals.

import { emit, emitOnce } from './events.js';
import { listen } from './guard.js';
import { decided, decisions } from './main.js';
import { matchesPage } from './pages.js';
import { parts } from './parts.js';
import { turn } from './turns.js';
import { matchesUrl } from './urls.js';

/** @import { Data, Facts, Goal, GoalCapture } from './types' */

const MAX_CAPTURE = 1000;
/** What a click on a text without a selector may have meant. */
const CLICKABLE = 'a,button,input,label,summary,[role=button]';

/** @param {string | null | undefined} text */
const tidy = (text) => (text || '').replace(/\s+/g, ' ').trim();

/**
 * @param {Element} element
 * @param {string} wanted
 */
const hasText = (element, wanted) =>
  tidy(element.textContent || /** @type {HTMLInputElement} */ (element).value)
    .toLowerCase()
    .includes(tidy(wanted).toLowerCase());

/**
 * The element that the goal means, going outwards from the one that was hit.
 * @param {Goal} goal
 * @param {Element} hit
 */
const clickedElement = (goal, hit) => {
  const element = hit.closest(goal.selector || CLICKABLE) || (goal.selector ? null : hit);
  return element && (!goal.text || hasText(element, goal.text)) ? element : null;
};

/**
 * @param {GoalCapture} capture
 * @param {Element} element
 */
const captureValue = ({ source, attribute = '' }, element) => {
  if (source === 'textContent') return tidy(element.textContent);
  if (source === 'attribute') return element.getAttribute(attribute);
  return /** @type {HTMLElement} */ (element).dataset[attribute] ?? element.getAttribute(`data-${attribute}`);
};

/**
 * @param {Goal} goal
 * @param {Element} [element]
 */
const goalData = (goal, element) => {
  /** @type {Data} */
  const data = {};
  if (element) {
    for (const capture of goal.capture || []) {
      const value = captureValue(capture, element);
      if (value != null) data[capture.property] = value.slice(0, MAX_CAPTURE);
    }
  }
  data.goalId = goal.id;
  return data;
};

/**
 * Goals of what the visitor is part of, whether or not it shows on this page; a goal that several share comes once.
 * @param {Goal['type']} type
 * @param {Facts} facts
 */
const goalsOf = (type, facts) => {
  /** @type {Goal[]} */
  const goals = [];
  /** @type {Record<string, boolean>} */
  const known = {};
  for (const { experiment } of decisions) {
    for (const goal of experiment.goals || []) {
      if (goal.type !== type || known[goal.id] || (goal.pages && !matchesPage(goal.pages, facts))) continue;
      known[goal.id] = true;
      goals[goals.length] = goal;
    }
  }
  return goals;
};

/**
 * @param {Goal} goal
 * @param {Data} data
 */
const reach = (goal, data) =>
  goal.once === false ? emit('goal', data) : emitOnce(`goal:${goal.id}`, 'goal', data);

/** @param {Element} hit */
const countClick = (hit) => {
  if (!decided) return;
  for (const goal of goalsOf('click', decided.facts)) {
    try {
      const element = clickedElement(goal, hit);
      if (element) reach(goal, goalData(goal, element));
    } catch {} // a selector that does not parse matches nothing
  }
};

parts._startGoals = () =>
  listen('click', (event) => {
    const hit = /** @type {Element} */ (event.composedPath()[0]);
    if ('closest' in hit) turn(() => countClick(hit));
  });

parts._countPageview = (facts) => {
  for (const goal of goalsOf('pageview', facts)) {
    if (!goal.url || (facts.address && matchesUrl(goal.url, facts.address))) reach(goal, goalData(goal));
  }
};
