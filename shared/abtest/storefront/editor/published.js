// Mutations as the compiler of the service publishes them (domain/delivery/mutations.py): the same cases test both.

/** @import { Mutation } from '../src/types' */

/** @type {Record<string, string>} */
const ALIASES = { setText: 'text', setStyle: 'style' };
const ATTRIBUTES = /\[[^\]]*\]/g;
const ONE_PLACE = /:first-(child|of-type)|:nth-(child|of-type)\(\s*\d+\s*\)|\+/g;
const ANY_PLACE = /:(nth|first|last|only)-|\+/;
const PAIRS = /\[[A-Za-z0-9_-]+([~|^$*]?=([A-Za-z0-9_-]+|(["'])[A-Za-z0-9_ .:/-]*\3))?\]|\([A-Za-z0-9_ +-]*\)/g;
const UNSURE = /[^A-Za-z0-9_ .#>+~*:,-]|^$/;
const SHORT_FOR_OTHERS = /^(all|inset|flex-flow|place-\w+|grid-area)$/;

/** Return what a browser has to know of a selector, as bits. @param {string} selector */
export const kindOf = (selector) => {
  const bare = selector.replace(ATTRIBUTES, '');
  let kind = bare.includes(':has(') ? 4 : 0;
  if (UNSURE.test(selector.replace(PAIRS, ':'))) kind |= 8;
  if (ANY_PLACE.test(bare)) kind |= ANY_PLACE.test(bare.replace(ONE_PLACE, '')) ? 3 : 1;
  return kind;
};

/** @param {string} name */
const rank = (name) => (SHORT_FOR_OTHERS.test(name) ? -1 : name.replace(/^-+/, '').split('-').length - 1);

/**
 * Return styles by names in kebab case, a shorthand before what it stands for.
 * @param {Record<string, string>} styles
 */
export const orderedStyles = (styles) => {
  const kebab = Object.entries(styles).map(([name, value]) => [
    name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(kebab.sort(([one], [other]) => rank(one) - rank(other)));
};

/** Return a mutation of the API as the engine takes it. @param {any} mutation @returns {Mutation} */
export const asPublished = (mutation) => {
  const action = ALIASES[mutation.action] || mutation.action;
  const kind = kindOf(mutation.selector);
  /** @type {any} */
  const published = { selector: mutation.selector, action, ...(kind && { kind }) };
  if (action === 'text') published.text = mutation.text || '';
  else if (action === 'style') published.styles = orderedStyles(mutation.styles || {});
  else if (action === 'attribute') {
    const { attribute, attributes } = mutation;
    published.attributes = { ...(attribute && { [attribute.name]: attribute.value }), ...attributes };
  } else if (action !== 'remove') published.html = mutation.html || '';
  return published;
};
