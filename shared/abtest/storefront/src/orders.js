// Orders that a page tells of by itself: in its data layer, or in an object that stands in the page.

import { guard } from './guard.js';
import { isArray } from './natives.js';

/** @import { Data, OrderSource } from './types' */

/**
 * What a dotted path leads to.
 * @param {any} value
 * @param {string} path
 */
const at = (value, path) => {
  for (const name of path.split('.')) value = value?.[name];
  return value;
};

/**
 * The first of the paths that leads to something.
 * @param {any} value
 * @param {string[]} paths
 */
const first = (value, paths) => {
  for (const path of paths) {
    const found = at(value, path);
    if (found !== undefined && found !== null && found !== '') return found;
  }
  return undefined;
};

/**
 * The order in what a page says; without an id there is none.
 * @param {any} said
 * @param {OrderSource} source
 * @returns {Data | undefined}
 */
const orderIn = (said, { id, revenue, currency }) => {
  const orderId = first(said, id);
  return orderId === undefined
    ? undefined
    : { orderId: `${orderId}`, revenue: first(said, revenue), currency: first(said, currency) };
};

/**
 * What was pushed as a purchase: an object with the event's name, or the arguments of a call such as `gtag`'s.
 * @param {any} item
 * @param {string[]} events
 */
const purchaseIn = (item, events) => {
  for (const event of events) {
    if (item?.event === event) return item;
    if (item?.[0] === 'event' && item[1] === event) return item[2];
  }
  return undefined;
};

/**
 * Tells of each order that the sources know of, now or later; the same one may be told of again.
 * @param {OrderSource[]} sources
 * @param {(order: Data) => void} tell
 */
export const watchOrders = (sources, tell) => {
  /** @type {any} */
  const host = window;

  /** @type {(said: any, source: OrderSource) => void} */
  const take = guard('orders', (said, source) => {
    const order = orderIn(said, source);
    if (order) tell(order);
  });

  /** @param {OrderSource} source */
  const listen = (source) => {
    const { layer, events = [] } = source;
    const array = (host[/** @type {string} */ (layer)] ||= []);
    if (!isArray(array)) return;
    for (let i = 0; i < array.length; i++) take(purchaseIn(array[i], events), source);
    const { push } = array;
    array.push = function () {
      const length = push.apply(this, /** @type {any} */ (arguments));
      for (const item of arguments) take(purchaseIn(item, events), source);
      return length;
    };
  };

  const look = guard('orders', () => {
    for (const source of sources) if (source.object) take(host[source.object], source);
  });

  for (const source of sources) if (source.layer) guard('orders', listen)(source);
  look();
  document.addEventListener('DOMContentLoaded', look);
  addEventListener('load', look);
};
