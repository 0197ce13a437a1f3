// Part for selectors that may come to match elements outside of added ones: the whole document is searched for them.

import { parts } from './parts.js';

/** Bits of a mutation's `kind`: search the whole document while it is parsed, or always. */
const WHOLE = 2;
const CONTEXTUAL = 4;

parts._isWide = ({ _mutation: { kind = 0 } }, isParsed) =>
  (kind & (isParsed ? CONTEXTUAL : CONTEXTUAL | WHOLE)) > 0;
