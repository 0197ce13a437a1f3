// What the panel of the editor has to know of an element.

import { suggestionsFor } from './selector.js';
import { asOfShop } from './shop_markup.js';

const STYLES = [
  'color', 'background-color', 'font-size', 'font-weight', 'text-align', 'padding', 'margin', 'border-radius',
  'width', 'display', 'background-image',
];
const MAX_HTML = 20000;
const MAX_TEXT = 4000;
const MAX_ATTRIBUTES = 40;

/** @param {Element} element */
const labelOf = (element) => {
  const name = element.id ? `#${element.id}` : element.classList.length ? `.${element.classList[0]}` : '';
  return `${element.localName}${name}`.slice(0, 60);
};

/** @param {Element} element */
const rootsOf = (element) => {
  const path = [];
  for (let at = /** @type {Element | null} */ (element); at && at !== document.documentElement; at = at.parentElement) {
    path.unshift(labelOf(at));
  }
  return path;
};

/** The selector of a child, for what is put before or behind it. @param {Element | null} child */
const placeIn = (child) => (child ? suggestionsFor(child)[0]?.selector : '');

/** @param {Element} element */
export const describe = (element) => {
  const styles = getComputedStyle(element);
  const isLong = element.innerHTML.length > MAX_HTML;
  const copy = asOfShop(element, !isLong);
  const attributes = [...copy.attributes].slice(0, MAX_ATTRIBUTES);
  return {
    tag: element.localName,
    path: rootsOf(element),
    selectors: suggestionsFor(element),
    isPlain: !element.firstElementChild,
    text: (element.textContent || '').trim().slice(0, MAX_TEXT),
    html: copy.innerHTML.slice(0, MAX_HTML),
    isLong,
    first: placeIn(element.firstElementChild),
    last: placeIn(element.lastElementChild),
    attributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value.slice(0, MAX_TEXT)])),
    styles: Object.fromEntries(STYLES.map((name) => [name, styles.getPropertyValue(name)])),
  };
};
