// What the SDK was started with on this page: one config, and the scripts that it names by their position.

/** @import { Config, Scripts } from './types' */

/** @type {Config} */
export let config;
/** Functions, and names of chunks that have not come yet. @type {Scripts} */
export let scripts;

/**
 * What the script element says of this page: `surface`, which part of the shop it is (none is the storefront),
 * `hideMs`, how long it may wait for a treatment, and `late`, that it was shown before the snippet had come.
 * @type {DOMStringMap}
 */
export let said;

/**
 * @param {Config} startedWith
 * @param {Scripts} named
 */
export const setPage = (startedWith, named) => {
  config = startedWith;
  scripts = named;
  said = document.currentScript?.dataset || {};
};
