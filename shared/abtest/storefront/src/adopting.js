// The part that makes the visitor another: one who was handed over, or whose cart is paid here.

import { parts } from './parts.js';
import { append, fields, MAX_STICKY, setVisitor, STICKY, VISITOR } from './visit.js';

const ID = /^[\w-]{16,64}$/;

let adopted = '';
let handed = '';

/**
 * From the next turn on the visitor is this one; another's session and history are left.
 * @param {string} id
 * @param {string} [variations] as in the cookie: what was seen elsewhere
 */
export const adopt = (id, variations = '') => {
  if (!ID.test(id)) return;
  adopted = id;
  handed = variations;
};

parts._adopt = () => {
  if (adopted && adopted !== fields[VISITOR]) setVisitor(adopted);
  handed.replace(/~(\w+)-\w+/g, (entry, state) => {
    fields[STICKY] = fields[STICKY].replace(new RegExp(`~${state}-\\w+`), '');
    append(STICKY, entry, MAX_STICKY);
    return '';
  });
  adopted = handed = '';
};
