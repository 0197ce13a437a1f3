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

/** What stands for a text where it need not be read again. @param {string} text */
export const codeOf = (text) => encode(fold(text));

/**
 * The visitor's bucket, 0 to 9999, in the experiment whose seed left `state`.
 * Hashed twice: one round of FNV leaves ids that share a long prefix too close together.
 * @param {string} visitorId
 * @param {number} state
 */
export const bucketOf = (visitorId, state) => fold(`${fold(visitorId, state)}`) % BUCKETS;
