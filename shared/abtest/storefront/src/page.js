// Inputs of the SDK on this page: the config, and the scripts that it refers to by index.

import { parts } from './parts.js';

/** @import { Config, Scripts } from './types' */

/** @type {Config} */
export let config;
/** Functions, and names of chunks that are not loaded. @type {Scripts} */
export let scripts;

/**
 * Data attributes of the script element: `surface`, the part of the shop (by default the storefront), `hideMs`, how
 * long the page may wait for a treatment, and `late`, set if the page was shown before the snippet loaded.
 * @type {DOMStringMap}
 */
export let tagOptions;

/**
 * @param {Config} startedWith
 * @param {Scripts} named
 * @param {HTMLOrSVGScriptElement | null} [own] element of the snippet
 */
export const setPage = (startedWith, named, own = document.currentScript) => {
  config = startedWith;
  scripts = named;
  if (config.ids) parts._name(config);
  tagOptions = own?.dataset || {};
};
