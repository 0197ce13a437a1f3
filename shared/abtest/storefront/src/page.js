// What the SDK was started with on this page: one config, and the scripts that it names by their position.

/** @import { Config, Scripts } from './types' */

/** @type {Config} */
export let config;
/** Functions, and names of chunks that have not come yet. @type {Scripts} */
export let scripts;

/** Of the shop that this page is, as the script element says; none is the storefront. @type {string | undefined} */
export let surface;

/**
 * @param {Config} startedWith
 * @param {Scripts} named
 */
export const setPage = (startedWith, named) => {
  config = startedWith;
  scripts = named;
  surface = document.currentScript?.dataset.surface;
};
