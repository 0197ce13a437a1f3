// Turns: the cookie is read once before, and written once after, all that is to be done in one.

import { guard } from './guard.js';
import { now } from './natives.js';
import { resume, save } from './visit.js';

/** Calls that wait for consent, or in one turn. */
const MAX_WAITING = 500;

/** What is to be done; it waits until there is consent and the visitor is known. @type {(() => void)[]} */
let works = [];
let isOpen = false;

/** What comes up meanwhile is done in the same turn. */
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

/** The visitor is known: from here on things are done, first this, then what waited. @param {() => void} first */
export const openTurns = (first) => {
  isOpen = true;
  works = [first, ...works];
  work();
};

/** Nothing is done any longer, and what waits is dropped. */
export const closeTurns = () => {
  isOpen = false;
  works = [];
};
