// Quality assurance by address: `svc_qa=1` flags a visit, the other parameters put it into variations.

import { record } from './lists.js';
import { keysOf } from './natives.js';

/** @import { Forced } from './types' */

/**
 * `svc_force=<experiment id>:<variation id or index>[,…]`, or `svc_experiment_id` with `svc_variation_id` beside
 * `svc_qa=1`. A forced visit is a flagged one: it counts nowhere.
 * @param {string} search
 * @returns {Forced}
 */
export const readForce = (search) => {
  const query = new URLSearchParams(search);
  const one = query.get('svc_qa') === '1';
  const variations = record();
  for (const pair of (query.get('svc_force') || '').split(',')) {
    const [id, variation] = pair.split(':');
    if (id && variation) variations[id] = variation;
  }
  const id = query.get('svc_experiment_id');
  const variation = query.get('svc_variation_id');
  if (one && id && variation) variations[id] = variation;
  return { qa: one || keysOf(variations).length > 0, variations };
};

/**
 * The same by `svc.force`: without a variation the experiment decides again, without an experiment all do. What was
 * seen on this page counts nowhere from now on, also when nothing is forced any longer.
 * @param {Forced} force
 * @param {string | undefined} id
 * @param {string | number | undefined} variation
 */
export const enforce = (force, id, variation) => {
  force.qa = true;
  if (id == null) force.variations = record();
  else if (variation == null) delete force.variations[id];
  else force.variations[id] = variation;
};
