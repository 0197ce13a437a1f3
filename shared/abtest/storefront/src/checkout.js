// Part that carries the visitor from storefront to checkout in a cart attribute.

import { adopt } from './adopting.js';
import { tagOptions } from './page.js';
import { parts } from './parts.js';
import { fields, STICKY, VISITOR } from './visit.js';

const STAMP = /^([\w-]{16,64})\.([~\w-]{0,2100})$/;

parts._cart = () => fields[VISITOR] && { _svc: `${fields[VISITOR]}.${fields[STICKY]}` };

parts._checkout = (/** @type {any} */ { cart_attributes: attributes }) => {
  if (tagOptions.surface !== 'checkout') return;
  try {
    const [, id, variations] = /** @type {string[]} */ (STAMP.exec(attributes._svc));
    adopt(id, variations);
  } catch {} // the page may pass anything, even an object that throws when read
};
