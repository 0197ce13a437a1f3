// What a shop may or may not need: parts put themselves in here; core calls them where the config calls for them.

/** @import { Parts } from './types' */

/** A part that the config has no use for is cut out of the snippet: then its place here stays empty. */
export const parts = /** @type {Parts} */ ({});
