// Part of the tool, for people who look at the page; no snippet has it. It records what happens to treatments and
// events.

import { now } from './natives.js';
import { parts } from './parts.js';

/** @import { Rule } from './types' */

/** Requests that are kept. */
const MAX_REQUESTS = 100;

/**
 * Times at which a rule was first and last applied, and how often.
 * @typedef {{ first: number, last: number, count: number }} Use
 */

/** @type {WeakMap<Rule, Use>} */
export const uses = new WeakMap();

/**
 * Requests with events: their texts, when they were sent, and the server's answer, undefined as long as there is none
 * (beacons get none).
 * @type {{ texts: string[], at: number, by: 'fetch' | 'beacon', status?: number }[]}
 */
export const requests = [];

/** The tool takes over from the page's own snippet, and nothing from it. */
parts._isTool = () => true;

parts._noteApplied = (rule) => {
  const use = uses.get(rule) || { first: now(), last: 0, count: 0 };
  uses.set(rule, { ...use, last: now(), count: use.count + 1 });
};

parts._noteSent = (texts, by) => {
  if (requests.length < MAX_REQUESTS) requests[requests.length] = { texts, at: now(), by };
};

parts._noteAnswered = (texts, status) => {
  for (const request of requests) if (request.texts === texts) request.status = status;
};
