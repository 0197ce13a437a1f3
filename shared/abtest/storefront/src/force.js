// QA visits by address: `svc_qa=1` flags a visit, other parameters force variations.

import { record } from './lists.js';

/** @import { Force } from './types' */

/** State of this page: whether the visit is flagged, and its forced variations. */
export const force = { _isFlagged: false, _variations: /** @type {Force} */ (record()) };

/**
 * Read `svc_force=<experiment id>:<variation id or index>[,…]`, or `svc_experiment_id` and `svc_variation_id` together
 * with `svc_qa=1`. A forced visit is flagged, and flagged visits are not counted.
 * @param {string} search
 */
export const readForce = (search) => {
  const query = new URLSearchParams(search);
  const param = (/** @type {string} */ name) => query.get(`svc_${name}`) || '';
  let pairs = param('force');
  force._isFlagged = param('qa') === '1';
  if (force._isFlagged) pairs += `,${param('experiment_id')}:${param('variation_id')}`;
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
 * Implementation of `svc.force`: without a variation the experiment decides again, without an experiment all do. The
 * visit stays flagged and is not counted, even when nothing is forced any longer.
 * @param {string} [id]
 * @param {string | number} [variation]
 */
export const enforce = (id, variation) => {
  force._isFlagged = true;
  if (id == null) force._variations = record();
  else if (variation == null) delete force._variations[id];
  else force._variations[id] = variation;
};
