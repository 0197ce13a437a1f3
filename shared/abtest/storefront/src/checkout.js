// Carts carry the visitor to where they are paid: stamped on the storefront, taken up on the checkout.

import { adopt } from './adopting.js';
import { said } from './page.js';
import { parts } from './parts.js';
import { fields, STICKY, VISITOR } from './visit.js';

const STAMP = /^([\w-]{16,64})\.([~\w-]{0,2100})$/;

parts._cart = () => {
  /** @type {Record<string, string>} */
  const attributes = {};
  if (fields[VISITOR]) attributes._svc = `${fields[VISITOR]}.${fields[STICKY]}`;
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

parts._checkout = ({ cart_attributes: attributes }) => {
  if (said.surface !== 'checkout') return;
  const [, id, variations] = stampIn(attributes);
  if (id) adopt(id, variations);
};
