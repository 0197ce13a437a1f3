// The part that adds style sheets of treatments. They come after the page's own, so that they win where specificity is
// equal.

import { select } from './lists.js';
import { parts } from './parts.js';

/**
 * A constructed sheet passes a strict content security policy.
 * @param {CSSStyleSheet} sheet
 * @returns {() => void} takes the sheet away again
 */
export const adopt = (sheet) => {
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = select(document.adoptedStyleSheets, (other) => other !== sheet);
  };
};

/**
 * `@import` works in a style element only. Where a policy refuses those, the rest of the sheet is better than nothing.
 * @param {string} text
 */
const asElement = (text) => {
  const style = document.createElement('style');
  style.textContent = text;
  (document.head || document.documentElement).append(style);
  return style;
};

/**
 * @param {string} text
 * @returns {() => void} takes the sheet away again
 */
export const addCss = (text) => {
  const style = text.includes('@import') && asElement(text);
  if (style && style.sheet) return () => style.remove();
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return adopt(sheet);
  } catch {
    const old = style || asElement(text); // a browser without constructed sheets
    return () => old.remove();
  }
};

parts._addSheet = (treatment, css) => {
  const { _sheets: sheets } = treatment;
  if (typeof css === 'string') sheets[sheets.length] = addCss(css);
  else parts._placeSheet(treatment, css);
};

parts._removeSheets = (sheets) => {
  for (const remove of sheets) remove();
};
