// Deterministic bucketing: FNV-1a, 32 bits, over UTF-16 code units. Nothing here knows experiments.

const OFFSET_BASIS = 2166136261;
const PRIME = 16777619;
const BUCKETS = 10000;

/**
 * Folds a text into a hash. FNV folds from the left, so hashing goes on from the state an earlier text left.
 * @param {string} text
 * @param {number} [state]
 */
export const fold = (text, state = OFFSET_BASIS) => {
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), PRIME);
  return state >>> 0;
};

/** A short form of numbers: in base 36, times of this century are texts in their own order. @param {number} number */
export const encode = (number) => number.toString(36);

/**
 * What stands for a text where it need not be read again.
 * @param {string} text
 * @param {number} [state] after what stands before it
 */
export const codeOf = (text, state) => encode(fold(text, state));

/** What was put into a bucket last, and its code units: many experiments ask about one visitor. */
let last = '';
/** @type {number[]} */
let units = [];

/**
 * The visitor's bucket, 0 to 9999, in the experiment whose seed left `state`.
 * Hashed twice: one round of FNV leaves ids that share a long prefix too close together.
 * @param {string} visitorId
 * @param {number} state
 */
export const bucketOf = (visitorId, state) => {
  if (last !== visitorId) {
    last = visitorId;
    units = [];
    for (let i = 0; i < last.length; i++) units[i] = last.charCodeAt(i);
  }
  for (const unit of units) state = Math.imul(state ^ unit, PRIME);
  state >>>= 0;
  // The decimal digits of the first hash, without making a text of it: that takes longer than all the rest.
  let hash = OFFSET_BASIS;
  let place = 1;
  while (place * 10 <= state) place *= 10;
  for (; place >= 1; place /= 10) hash = Math.imul(hash ^ (48 + (((state / place) >>> 0) % 10)), PRIME);
  return (hash >>> 0) % BUCKETS;
};
