// Goals that the browser detects. Custom events and orders come through the API; the server counts them for custom and
// revenue goals.

import { emit, emitOnce } from './events.js';
import { decided, decisions } from './decisions.js';
import { matchesPage } from './pages.js';

/** @import { Data, Facts, Goal } from './types' */

/**
 * Goals of the visitor's experiments and personalizations, active on this page or not, each goal once.
 * @param {Goal['type']} type
 */
export const goalsOf = (type) => {
  const facts = /** @type {Facts} */ (decided?.facts);
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
 * @param {Data} [captured]
 */
export const reach = (goal, captured) => {
  const data = { ...captured, goalId: goal.id };
  if (goal.once === false) emit('goal', data);
  else emitOnce(`goal:${goal.id}`, 'goal', data);
};
