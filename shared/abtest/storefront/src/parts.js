// Optional parts: each registers its functions here; core calls them where the config needs them.

/** @import { Parts } from './types' */

/** Functions of the parts. A part that the config does not need is cut from the snippet; its entries are undefined. */
export const parts = /** @type {Parts} */ ({});
