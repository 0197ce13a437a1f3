// What audiences ask about a visitor (docs/data-model.md, section 2.3): what is given, and what follows from it.

import { lazily, record } from './lists.js';
import { localTime } from './weekdays.js';

/** @import { Address, Visitor } from './types' */

/** @param {string} search */
const queryOf = (search) => {
  const query = record();
  for (const [name, value] of new URLSearchParams(search)) if (!(name in query)) query[name] = value;
  return query;
};

/** @param {Record<string, string>} query */
const campaignOf = (query) => {
  const campaign = record();
  for (const name in query) if (name.startsWith('utm_')) campaign[name.slice(4)] = query[name];
  return campaign;
};

/**
 * @param {string[]} zones
 * @param {number} now
 */
const localTimes = (zones, now) => {
  const times = record();
  for (const zone of zones) {
    const time = localTime(zone, now);
    if (time) times[zone] = time;
  }
  return times;
};

/**
 * Attributes to evaluate conditions over; what is given wins over what is derived. Nothing that costs is made, and no
 * getter of what is given is called, before a condition asks.
 * @param {Visitor} visitor
 * @param {Address} address
 * @param {string[]} zones
 * @param {number} now Unix milliseconds
 */
export const attributesOf = (visitor, address, zones, now) => {
  const { id, customer_id } = visitor;
  const attributes = record();
  if (id) attributes.id = id;
  if (customer_id) attributes.customer_id = customer_id;
  attributes.logged_in = !!customer_id;
  attributes.url = address.href;
  lazily(attributes, 'query', () => queryOf(address.search));
  lazily(attributes, 'utm', () => campaignOf(attributes.query));
  lazily(attributes, 'local', () => localTimes(zones, now));
  return Object.defineProperties(attributes, Object.getOwnPropertyDescriptors(visitor.attributes || {}));
};
