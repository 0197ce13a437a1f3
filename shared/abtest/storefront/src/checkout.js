// Part that carries the visitor from storefront to checkout in a cart attribute.

import { adopt } from './adopting.js';
import { tagOptions } from './page.js';
import { parts } from './parts.js';
import { fields, STICKY, VISITOR } from './visit.js';

const STAMP = /^([\w-]{16,64})\.([~\w-]{0,2100})$/;

parts._cart = () => {
  /** @type {Record<string, string>} */
  const attributes = {};
  if (fields[VISITOR]) attributes._svc = `${fields[VISITOR]}.${fields[STICKY]}`;
  return attributes;
};

/** The page may pass anything, even an object that throws when read. @param {any} attributes */
const stampIn = (attributes) => {
  try {
    return STAMP.exec(attributes._svc) || [];
  } catch {
    return [];
  }
};

parts._checkout = ({ cart_attributes: attributes }) => {
  if (tagOptions.surface !== 'checkout') return;
  const [, id, variations] = stampIn(attributes);
  if (id) adopt(id, variations);
};
