// Orders that a page publishes in its data layer or in a global object.

import { guard } from './guard.js';
import { isArray } from './natives.js';

/** @import { Data, OrderSource } from './types' */

/**
 * The value at a dotted path.
 * @param {any} value
 * @param {string} path
 */
const at = (value, path) => {
  for (const name of path.split('.')) value = value?.[name];
  return value;
};

/**
 * The first value at these paths that is not empty.
 * @param {any} value
 * @param {string[]} paths
 */
const first = (value, paths) => {
  for (const path of paths) {
    const item = at(value, path);
    if (item !== undefined && item !== null && item !== '') return item;
  }
  return undefined;
};

/**
 * The order in an object of the page; undefined without an id.
 * @param {any} published
 * @param {OrderSource} source
 * @returns {Data | undefined}
 */
const orderIn = (published, { id, revenue, currency }) => {
  const orderId = first(published, id);
  return orderId === undefined
    ? undefined
    : { orderId: `${orderId}`, revenue: first(published, revenue), currency: first(published, currency) };
};

/**
 * The data of a purchase: an object with the event's name, or the arguments of a call such as `gtag`'s.
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
 * Report each order in the sources, now and later; the same order may be reported more than once.
 * @param {OrderSource[]} sources
 * @param {(order: Data) => void} report
 */
export const watchOrders = (sources, report) => {
  /** @type {any} */
  const host = window;

  /** @type {(published: any, source: OrderSource) => void} */
  const take = guard('orders', (published, source) => {
    const order = orderIn(published, source);
    if (order) report(order);
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
