// Attributes of a visitor that audiences test (docs/data-model.md, section 2.3): given and derived.

import { record } from './lists.js';
import { localTime } from './weekdays.js';

/** @import { Address, Visitor } from './types' */

/**
 * Copy the properties of another object; getters stay getters.
 * @param {Record<string, any>} object
 * @param {object} properties
 */
export const overlay = (object, properties) =>
  Object.defineProperties(object, Object.getOwnPropertyDescriptors(properties));

/** @type {Partial<Address>} */
const NOWHERE = {};

/**
 * Attributes for conditions. Given attributes override derived ones, and their getters stay getters.
 * @param {Visitor} visitor
 * @param {Partial<Address>} [address] omitted if unknown
 * @param {string[]} zones
 * @param {number} now Unix milliseconds
 */
export const attributesOf = ({ id, customer_id, attributes = {} }, { href, search } = NOWHERE, zones = [], now = 0) => {
  const [query, utm, local] = [record(), record(), record()];
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in query) continue;
    query[name] = value;
    if (name.startsWith('utm_')) utm[name.slice(4)] = value;
  }
  for (const zone of zones) local[zone] = localTime(zone, now);
  const derived = { id, customer_id, logged_in: !!customer_id, url: href, query, utm, local };
  return overlay(derived, attributes);
};
