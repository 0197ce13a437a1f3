// Carts carry the visitor to where they are paid: stamped on the storefront, taken up on the checkout.

import { parts } from './parts.js';

const STAMP = /^([\w-]{16,64})\.([~\w-]{0,2100})$/;

parts._cart = (visit) => {
  /** @type {Record<string, string>} */
  const attributes = {};
  if (visit.visitorId()) attributes._svc = visit.stamp();
  return attributes;
};

parts._checkout = ({ _visit, _surface }, { cart_attributes: attributes }) => {
  const [, id, variations] = STAMP.exec(/** @type {any} */ (attributes)?._svc) || [];
  if (id && _surface === 'checkout') _visit.adopt(id, variations);
};
