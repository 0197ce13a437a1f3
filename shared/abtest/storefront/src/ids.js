// Part that puts ids back into the config: in long snippets they stand in one text, which compresses better.

import { parts } from './parts.js';

/** Digits of half an id. The first halves of all ids come first: they are times, which neighbours share. */
const HALF = 16;

parts._name = (config) => {
  const { experiments } = config;
  const text = /** @type {string} */ (config.ids);
  let first = 0;
  let second = text.length / 2;
  const name = (/** @type {{ id: string }} */ part) => {
    const digits = text.slice(first, (first += HALF)) + text.slice(second, (second += HALF));
    part.id = digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  for (const experiment of experiments) {
    name(experiment);
    for (const list of [experiment.variations, experiment.goals || []]) for (const each of list) name(each);
  }
  config.ids = ''; // the tool starts with this config again
};
