// Turns: queued work between one read and one write of the visitor's cookie.

import { guard } from './guard.js';
import { now, startTimer } from './natives.js';
import { flush } from './transport.js';
import { resume, save } from './visit.js';

/** Limit of calls that wait for consent or run in one turn. */
const MAX_WAITING = 500;

/** Queued work; it waits until there is consent and the visitor is known. @type {(() => void)[]} */
let works = [];
let isOpen = false;

/** Run the queue; work added meanwhile runs in the same turn. */
const work = () => {
  try {
    resume(now());
    for (const next of works) guard('turn', next)();
  } finally {
    works = [];
    save();
  }
};

/** @param {() => void} next */
export const turn = (next) => {
  if (works.length >= MAX_WAITING) return;
  works[works.length] = next;
  if (isOpen && works.length < 2) work();
};

/** Start running turns, now that the visitor is known: `first`, then the queue. @param {() => void} first */
export const openTurns = (first) => {
  isOpen = true;
  works = [first, ...works];
  work();
  startTimer(flush); // the tab may be closed before it is idle, and then `pagehide` may never come
};

/** Stop running turns and drop the queue. */
export const closeTurns = () => {
  isOpen = false;
  works = [];
};
