// Deterministic bucketing: FNV-1a, 32 bits, over UTF-16 code units. Independent of experiments.

const OFFSET_BASIS = 2166136261;
const PRIME = 16777619;
const BUCKETS = 10000;

/**
 * Hash a text, starting at the state that an earlier text left: FNV works from left to right.
 * @param {string} text
 * @param {number} [state]
 */
export const fold = (text, state = OFFSET_BASIS) => {
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), PRIME);
  return state >>> 0;
};

/**
 * Base 36. Numbers with the same count of digits sort as strings: times in milliseconds until May 2059, times in
 * seconds until December 2038.
 * @param {number} number
 */
export const encode = (number) => number.toString(36);

/**
 * Short code for a text that need not be recovered.
 * @param {string} text
 * @param {number} [state] hash state after a prefix
 */
export const codeOf = (text, state) => encode(fold(text, state));

/**
 * The visitor's bucket, 0 to 9999, in the experiment whose seed left `state`.
 * Hashed twice: one round of FNV leaves ids that share a long prefix too close together.
 * @param {string} visitorId
 * @param {number} state
 */
export const bucketOf = (visitorId, state) => fold(`${fold(visitorId, state)}`) % BUCKETS;
