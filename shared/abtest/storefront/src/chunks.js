// Part for chunks of the snippet: long scripts and style sheets, fetched when a treatment needs them.

import { addCss, adopt } from './css.js';
import { drop } from './dropping.js';
import { config, scripts } from './page.js';
import { parts } from './parts.js';
import { settle, soon, whenParsed } from './treatments.js';
import { policyOf } from './trusted.js';

/** @import { Css, Treatment } from './types' */

/** Loaded scripts by name. @type {Map<string, () => void>} */
const functions = new Map();
/** Loaded style sheets by name. @type {Map<string, string>} */
const texts = new Map();

parts._chunk = (name, fn) => {
  if (typeof fn === 'function') functions.set(name, fn);
};

/** @param {Treatment} treatment */
const scriptsOf = ({ _decision: { experiment }, _content }) => [experiment.js, _content.js, experiment.reset_js];

/** @param {Css | undefined} css */
const isChunk = (css) => !!css && typeof css !== 'string';

parts._needsChunks = (treatment) => {
  for (const script of scriptsOf(treatment)) {
    if (typeof script === 'number' && typeof scripts[script] === 'string') return true;
  }
  return isChunk(treatment._decision.experiment.css) || isChunk(treatment._content.css);
};

/**
 * Add an element that loads a file. A content security policy with a nonce requires the same nonce of every script; our
 * own tag has it.
 * @param {HTMLScriptElement | HTMLLinkElement} element
 */
export const load = (element) => {
  const nonced = /** @type {HTMLElement | null} */ (document.querySelector('script[nonce]'));
  if (nonced?.nonce) element.nonce = nonced.nonce;
  (document.head || document.documentElement).append(element);
};

/**
 * @param {HTMLScriptElement | HTMLLinkElement} element
 * @param {() => void} onLoad throws if the response is not the requested chunk
 * @param {Treatment} treatment
 */
const fetchFor = (element, onLoad, treatment) => {
  treatment._missing++;
  const fail = () => drop(treatment, 'chunk');
  element.onerror = fail;
  element.onload = () => {
    try {
      onLoad();
    } catch {
      return fail();
    }
    if (!--treatment._missing && !soon) whenParsed(settle);
  };
  load(element);
};

parts._loadScripts = (treatment) => {
  for (const script of scriptsOf(treatment)) {
    const name = typeof script === 'number' && scripts[script];
    if (typeof name !== 'string') continue;
    const element = document.createElement('script');
    const url = `${config.runtime.assets_url}${name}.js`;
    element.src = policyOf()?.createScriptURL(url) ?? url;
    const take = () => {
      const fn = functions.get(name);
      if (!fn) throw name;
      scripts[/** @type {number} */ (script)] = fn;
      element.remove();
    };
    fetchFor(element, take, treatment);
  }
};

/** @param {HTMLLinkElement} link */
const textOf = (link) => {
  let text = '';
  for (const rule of /** @type {CSSStyleSheet} */ (link.sheet).cssRules) text += rule.cssText;
  return text;
};

/**
 * Reserve the sheet's place among the others at once. When its text has loaded, fill it in and remove the link.
 * Relative URLs in it then resolve against the page, as in every other sheet of a treatment. Until then the page is
 * hidden: a link that blocks rendering would show the page once before the sheet is in its place.
 */
parts._placeSheet = (treatment, { chunk }) => {
  const { _sheets: sheets } = treatment;
  const sheet = new CSSStyleSheet();
  sheets[sheets.length] = adopt(sheet);
  const known = texts.get(chunk);
  if (known != null) {
    sheet.replaceSync(known);
    return;
  }
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.crossOrigin = 'anonymous';
  link.href = `${config.runtime.assets_url}${chunk}.css`;
  const reveal = addCss('html{opacity:0!important}');
  sheets[sheets.length] = () => {
    reveal();
    link.remove();
  };
  const fill = () => {
    const text = textOf(link);
    if (text.includes('@import')) return reveal(); // works only in the link, which stays
    texts.set(chunk, text);
    sheet.replaceSync(text);
    reveal();
    link.remove();
  };
  fetchFor(link, fill, treatment);
};
