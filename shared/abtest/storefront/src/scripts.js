// Part that runs customers' scripts: an experiment's once until the experiment ends, and a variation's.

import { guard } from './guard.js';
import { record, some } from './lists.js';
import { keysOf } from './natives.js';
import { scripts } from './page.js';
import { parts } from './parts.js';

/** @import { Decision, Script } from './types' */

/** Experiments whose scripts have run and are not reset. @type {Record<string, Decision>} */
const running = record();

/**
 * @param {Script | undefined} script
 * @param {string} about
 * @param {Decision} decision
 */
const run = (script, about, decision) => {
  const fn = /** @type {(() => void) | undefined} */ (scripts[/** @type {number} */ (script)]);
  if (fn) guard(about, fn, decision)();
};

parts._resetScripts = (active) => {
  for (const id of keysOf(running)) {
    const decision = running[id];
    if (some(active, ({ _decision }) => _decision.experiment.id === id)) continue;
    delete running[id];
    run(decision.experiment.reset_js, 'reset_js', decision);
  }
};

parts._runScripts = ({ _decision: decision, _content: content }) => {
  const { id, js } = decision.experiment;
  if (!running[id]) run(js, 'experiment_js', decision);
  running[id] = decision;
  run(content.js, 'variation_js', decision);
};
