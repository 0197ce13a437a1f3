// Part that replaces the visitor: by one handed over from another host, or by the owner of a cart paid here.

import { parts } from './parts.js';
import { append, fields, MAX_STICKY, setVisitor, STICKY, VISITOR } from './visit.js';

let adopted = '';
let handed = '';

/**
 * Switch to this visitor in the next turn; the previous visitor's session and history are dropped.
 * @param {string} id in the form of the cookie
 * @param {string} [variations] sticky assignments made elsewhere, in the form of the cookie
 */
export const adopt = (id, variations = '') => {
  adopted = id;
  handed = variations;
};

parts._adopt = () => {
  if (adopted && adopted !== fields[VISITOR]) setVisitor(adopted);
  fields[STICKY] = (fields[STICKY] + handed).replace(/(~\w+-)\w+(?=.*\1)/g, ''); // the last of each experiment counts
  append(STICKY, '', MAX_STICKY);
  adopted = handed = '';
};
