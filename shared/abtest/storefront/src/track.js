// Events that pages report: orders, refunds and custom events.

import { emit, emitOnce } from './events.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { VISITOR, fields } from './visit.js';

/** @import { Data } from './types' */

/**
 * @param {string} name
 * @param {Data} data
 */
export const track = (name, data) => {
  if (typeof name !== 'string' || !name) return;
  const sale = { ...data, currency: data.currency || config.runtime.currency };
  // Reloading a confirmation page reports the same order, so orders are counted once per visitor, not per session.
  if (name === 'order' && data.orderId) emitOnce(`order:${data.orderId}`, name, sale, undefined, fields[VISITOR]);
  else if (name === 'order' || name === 'refund') emit(name, sale);
  else emit('custom', { ...data, event_name: name });
  parts._note?.(name);
};
