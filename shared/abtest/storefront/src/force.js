// Quality assurance by address: `svc_qa=1` flags a visit, the two ids put it into a variation.

/** @import { Force } from './types' */

/**
 * @param {string} search
 * @returns {Force}
 */
export const readForce = (search) => {
  const query = new URLSearchParams(search);
  const qa = query.get('svc_qa') === '1';
  return {
    qa,
    experimentId: qa ? query.get('svc_experiment_id') : null,
    variationId: qa ? query.get('svc_variation_id') : null,
  };
};
