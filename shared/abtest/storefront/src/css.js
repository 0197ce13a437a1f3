// Part that adds style sheets of treatments. They come after the page's own, so they win at equal specificity.

import { select } from './lists.js';
import { parts } from './parts.js';

/**
 * Add a constructed sheet; a strict content security policy allows it.
 * @param {CSSStyleSheet} sheet
 * @returns {() => void} removes the sheet
 */
export const adopt = (sheet) => {
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = select(document.adoptedStyleSheets, (other) => other !== sheet);
  };
};

/**
 * Add a style element, because `@import` works only there. If a policy refuses the element, `addCss` constructs a sheet
 * of the other rules.
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
 * @returns {() => void} removes the sheet
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
