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
  /** @type {Record<string, string>} */
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
