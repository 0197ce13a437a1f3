// The global `window.svc`: the API for a shop's own code.

import { decideAgain, decided, give, isLate } from './decisions.js';
import { enforce } from './force.js';
import { guard } from './guard.js';
import { parts } from './parts.js';
import { track } from './track.js';
import { turn } from './turns.js';
import { fields, VISITOR } from './visit.js';

/** @import { Api, Assignment } from './types' */

const assignments = () => {
  /** @type {Assignment[]} */
  const list = [];
  for (const { experiment, variation, index, active } of decided?.assignments || []) {
    if (!active || isLate) continue;
    list[list.length] = {
      experimentId: experiment.id,
      variationId: variation.id,
      variationIndex: index,
      epoch: experiment.epoch,
    };
  }
  return list;
};

/** @param {boolean} isQuiet nothing is decided, so `ready` calls back at once */
export const createApi = (isQuiet) => {
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

    consent: guard('consent', (granted) => parts._consented?.(granted)),
    chunk: guard('chunk', (name, fn) => parts._chunk?.(name, fn)),
  };
  return api;
};
