// Carts carry the visitor to where they are paid: stamped on the storefront, taken up on the checkout.

import { parts } from './parts.js';

const STAMP = /^([\w-]{16,64})\.([~\w-]{0,2100})$/;

parts._cart = (visit) => {
  /** @type {Record<string, string>} */
  const attributes = {};
  if (visit.visitorId()) attributes._svc = visit.stamp();
  return attributes;
};

/** What a page hands back may be anything, even what cannot be read. @param {any} attributes */
const stampIn = (attributes) => {
  try {
    return STAMP.exec(attributes._svc) || [];
  } catch {
    return [];
  }
};

parts._checkout = ({ _visit, _surface }, { cart_attributes: attributes }) => {
  if (_surface !== 'checkout') return;
  const [, id, variations] = stampIn(attributes);
  if (id) _visit.adopt(id, variations);
};
