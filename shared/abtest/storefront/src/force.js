// Quality assurance by address: `svc_qa=1` flags a visit, the other parameters put it into variations.

import { record } from './lists.js';

/** @import { Force } from './types' */

/** What this page asks for: a flagged visit, possibly put into variations. */
export const force = { _isFlagged: false, _variations: /** @type {Force} */ (record()) };

/**
 * `svc_force=<experiment id>:<variation id or index>[,…]`, or `svc_experiment_id` with `svc_variation_id` beside
 * `svc_qa=1`. A forced visit is a flagged one: it counts nowhere.
 * @param {string} search
 */
export const readForce = (search) => {
  const query = new URLSearchParams(search);
  const asked = (/** @type {string} */ name) => query.get(`svc_${name}`) || '';
  let pairs = asked('force');
  force._isFlagged = asked('qa') === '1';
  if (force._isFlagged) pairs += `,${asked('experiment_id')}:${asked('variation_id')}`;
  force._variations = record();
  for (const pair of pairs.split(',')) {
    const [id, variation] = pair.split(':');
    if (!id || !variation) continue;
    force._isFlagged = true;
    force._variations[id] = variation;
  }
  return force;
};

/**
 * The same by `svc.force`: without a variation the experiment decides again, without an experiment all do. What was
 * seen on this page counts nowhere from now on, also when nothing is forced any longer.
 * @param {string} [id]
 * @param {string | number} [variation]
 */
export const enforce = (id, variation) => {
  force._isFlagged = true;
  if (id == null) force._variations = record();
  else if (variation == null) delete force._variations[id];
  else force._variations[id] = variation;
};
