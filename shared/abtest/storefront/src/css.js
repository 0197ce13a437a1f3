// Style sheets of treatments. They come after the page's own, so that they win where specificity is equal.

import { select } from './lists.js';

/**
 * A constructed sheet passes a strict content security policy; `@import` works in a style element only.
 * @param {string} text
 * @returns {() => void} takes the sheet away again
 */
export const addCss = (text) => {
  if (!text.includes('@import')) {
    try {
      return adopt(text);
    } catch {}
  }
  const style = document.createElement('style');
  style.textContent = text;
  (document.head || document.documentElement).append(style);
  return () => style.remove();
};

/** @param {string} text */
const adopt = (text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = select(document.adoptedStyleSheets, (other) => other !== sheet);
  };
};
