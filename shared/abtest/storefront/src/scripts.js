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

parts._runScripts = (treatment) => {
  const { _decision: decision, _content: content } = treatment;
  const { id, js, reset_js: reset } = decision.experiment;
  if (!running[id]) run(js, 'experiment_js', decision);
  running[id] = decision;
  if (!treatment._dropped) run(content.js, 'variation_js', decision);
  if (!treatment._dropped) return;
  delete running[id];
  run(reset, 'reset_js', decision);
};

/** @param {{ js?: Script, blocks?: { js?: Script }[] }} content */
const hasScript = ({ js, blocks }) => js != null || some(blocks || [], (block) => block.js != null);

/**
 * A script may fail, so its variation counts when it has run. So do the others of the experiment: otherwise visitors
 * who leave early would count in the control only.
 */
parts._awaitScripts = (treatment) => {
  const { js, type, variations } = treatment._decision.experiment;
  // A redirect leaves before scripts run, so nothing of its experiment waits for them.
  treatment._waits = type !== 'redirect' && (js != null || some(variations || [], hasScript));
};
