// The global `window.svc`: the API for a shop's own code.

import { assignments, decideAgain, decided, give } from './decisions.js';
import { enforce } from './force.js';
import { guard } from './guard.js';
import { fetchTool } from './inspection.js';
import { hear } from './notices.js';
import { parts } from './parts.js';
import { track } from './track.js';
import { active } from './treatments.js';
import { turn } from './turns.js';
import { fields, VISITOR } from './visit.js';

/** @import { Api } from './types' */

/** @param {boolean} isQuiet nothing is decided, so `ready` calls back at once */
export const createApi = (isQuiet) => {
  /** @type {(isWhole?: boolean) => Promise<any>} */
  const inspect = (isWhole) =>
    new Promise((done) => fetchTool('svc_qa=1', () => done(undefined), [decided, active, isQuiet, isWhole, done]));
  /** @type {Api} */
  const api = {
    track: guard('track', (name, data) => turn(() => track(name, data || {}))),
    set: guard('set', (data) => give(data || {})),

    flag: (key, fallback) => (parts._flagOf ? parts._flagOf(key, fallback) : fallback),
    personalization: (key) => parts._valueOf?.(key),
    assignments,
    visitorId: () => fields[VISITOR],
    cart: () => parts._cart?.() || {},

    ready: guard('ready', (fn) => {
      const tell = guard('ready', () => fn(api));
      if (isQuiet) tell();
      else turn(tell);
    }),

    force: guard('force', (id, variation) => {
      enforce(id, variation);
      decideAgain();
    }),

    on: hear,
    explain: () => inspect(),
    debug: () => inspect(true),

    consent: guard('consent', (granted) => parts._consented?.(granted)),
    chunk: guard('chunk', (name, fn) => parts._chunk?.(name, fn)),
  };
  return api;
};
