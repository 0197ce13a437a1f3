// Selectors that last: of what a developer named on purpose, before what a tool made and before positions.

const STABLE_ATTRIBUTES = [
  'data-testid', 'data-test', 'data-test-id', 'data-cy', 'data-qa', 'data-id', 'data-product-id', 'data-role',
  'data-component', 'data-section', 'data-action', 'itemprop', 'name', 'aria-label', 'for', 'role', 'rel', 'type',
  'href', 'alt', 'title', 'placeholder',
];
const MAX_VALUE = 80;
const MAX_DEPTH = 6;

const MADE = [
  /\d{3,}|[0-9a-f]{8,}/i,
  /^(css|sc|jsx|svelte|emotion|styled|module|chakra|mui|jss)-/i,
  /^(:r|ember\d|react-|radix-|headlessui-|mantine-)/,
  /(--|__)(?=\w*\d)\w{5,}$/,
  /^(?=.*[A-Z])(?=.*\d)(?=.*[a-z])\w{1,8}$/,
  /^[^aeiouy]{5,}$/i,
];

/** Words with a meaning have vowels and few digits; what tools make has neither. @param {string} name */
export const isMade = (name) => MADE.some((pattern) => pattern.test(name));

const UTILITIES = [
  /^(is|has|js)-|[:[\]/@!.]/,
  /^-?[a-z]{1,6}-(\d|x-|y-|auto|full|px|none|center|start|end|between)/,
  /^(active|open|closed|hidden|visible|selected|hover|focus|disabled|loaded|loading)$/,
  /^(row|col|container|flex|grid|block|inline|clearfix)$/,
];

/** Classes that say how something looks or what state it is in. @param {string} name */
const isUtility = (name) => UTILITIES.some((pattern) => pattern.test(name));

/** @param {string} text */
const escaped = (text) => CSS.escape(text);

/** @param {string} text */
const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Tags of which a page has one, or few with a meaning. */
const LANDMARKS = /^(main|header|footer|nav|h1|form|article|aside|dialog|body)$/;

/** @param {string} attribute @param {string} value */
const isStable = (attribute, value) => {
  if (value.length > MAX_VALUE || value.includes('\n')) return false;
  if (attribute === 'href') return /^[/#]|^\w+:\/\//.test(value);
  return !attribute.startsWith('data-') || /^\d+$/.test(value) || !isMade(value);
};

/**
 * Names of one element, each with its cost: how soon it may be another.
 * @param {Element} element
 * @returns {[string, number][]}
 */
const namesOf = (element) => {
  const tag = element.localName;
  /** @type {[string, number][]} */
  const names = [];
  if (element.id && !isMade(element.id)) names.push([`#${escaped(element.id)}`, 0]);
  for (const [index, attribute] of STABLE_ATTRIBUTES.entries()) {
    const value = element.getAttribute(attribute);
    if (value && isStable(attribute, value)) names.push([`${tag}[${attribute}=${quoted(value)}]`, index < 11 ? 1 : 2]);
  }
  for (const name of element.classList) {
    if (!isMade(name) && !isUtility(name)) names.push([`${tag}.${escaped(name)}`, 4]);
  }
  names.push([tag, LANDMARKS.test(tag) ? 1 : 3]);
  return names;
};

/** @param {Element} element */
const placeOf = (element) => {
  let place = 1;
  for (let other = element.previousElementSibling; other; other = other.previousElementSibling) {
    if (other.localName === element.localName) place++;
  }
  return `${element.localName}:nth-of-type(${place})`;
};

/** @param {string} selector @param {Element} element */
const isOnly = (selector, element) => {
  const found = document.querySelectorAll(selector);
  return found.length === 1 && found[0] === element;
};

/** @typedef {{ selector: string, strength: 'name' | 'class' | 'position' }} Suggestion */

const CLASS = 4;
/** A place in something with a name: sooner another than a name, later than a class, which a theme's update renames. */
const PLACE = 3.9;
const PLACES = 20;

/** @param {string} selector @param {number} cost @returns {Suggestion} */
const suggestion = (selector, cost) => ({
  selector,
  strength: / > |:nth-of-type\(/.test(selector) ? 'position' : cost >= CLASS ? 'class' : 'name',
});

/**
 * Return selectors that match this element and no other, the most lasting first.
 * @param {Element} element
 * @returns {Suggestion[]}
 */
export const suggestionsFor = (element) => {
  /** @type {[string, number][]} */
  const candidates = namesOf(element).filter(([name]) => isOnly(name, element));
  let depth = 0;
  for (let around = element.parentElement; around && depth < MAX_DEPTH; around = around.parentElement, depth++) {
    for (const [outer, outerCost] of namesOf(around)) {
      for (const [inner, innerCost] of namesOf(element)) {
        const selector = `${outer} ${inner}`;
        // A class outside costs as much as one inside: renaming either ends the match.
        if (isOnly(selector, element)) candidates.push([selector, outerCost + innerCost + 0.1 * depth + 0.5]);
      }
    }
  }
  if (!candidates.some(([, cost]) => cost < PLACE)) candidates.push(pathOf(element));
  candidates.sort(([one, oneCost], [other, otherCost]) => oneCost - otherCost || one.length - other.length);
  return candidates.slice(0, 5).map(([selector, cost]) => suggestion(selector, cost));
};

/** A name or a tag that no other element has; no class. @param {Element} element */
const ownName = (element) => {
  const [name] = namesOf(element).filter(([each, cost]) => cost < CLASS && isOnly(each, element));
  return name && name[0];
};

const BOXES = /^(div|span|section|li|td)$/;

/**
 * A box by what is in it: `div:has(> h5)`. Another box next to it, which tools of a shop insert, holds something else.
 * @param {Element} element
 */
const byContent = (element) => {
  const inside = [...element.children].find((child) => !BOXES.test(child.localName));
  return inside && BOXES.test(element.localName) && `${element.localName}:has(> ${inside.localName})`;
};

/**
 * The way from the nearest element with a name of its own, by as few places as match no other element: one that is
 * not needed would end the match when something is inserted before it. Below the last place no step is kept at all.
 * @param {Element} element
 * @returns {[string, number]}
 */
const pathOf = (element) => {
  let at = element;
  /** @type {string[]} */
  let steps = [];
  /** @type {Element[]} */
  const elements = [];
  let name = ownName(at);
  for (; !name && at.parentElement; at = at.parentElement, name = ownName(at)) {
    steps.unshift(placeOf(at));
    elements.unshift(at);
  }
  const written = () => {
    let path = name || at.localName;
    for (const [index, step] of steps.entries()) {
      if (step) path += `${index && !steps[index - 1] ? ' ' : ' > '}${step}`;
    }
    return path;
  };
  /** @param {number} index @param {string} step */
  const attempt = (index, step) => {
    const before = steps;
    steps = steps.map((each, place) => (place === index ? step : each));
    const isKept = isOnly(written(), element);
    if (!isKept) steps = before;
    return isKept;
  };
  for (let index = steps.length; index--;) {
    const step = byContent(elements[index]);
    if (!step || !attempt(index, step)) attempt(index, elements[index].localName);
  }
  for (let index = steps.length - 1; index-- && !steps[index].includes(':nth');) attempt(index, '');
  const places = steps.filter((step) => step.includes(':nth')).length;
  return [written(), places > 1 ? PLACES : PLACE];
};
