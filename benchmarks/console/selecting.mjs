// In a page: a selector for each visible text by both sides, and how many are left after the page was changed.
import { finder } from "@medv/finder";
import { suggestionsFor } from "../../shared/abtest/storefront/editor/selector.js";

const WAYS = {
  ours: (element) => suggestionsFor(element)[0].selector,
  finder: (element) => finder(element),
};

/** Return the elements that have a text of their own and can be seen. */
const texts = () =>
  [...document.body.querySelectorAll("*")].filter((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    return own && !/^(script|style|noscript|option)$/.test(element.localName) && element.checkVisibility();
  });

/** Take down a selector for each element; one that a side cannot make in time is null. */
function noted(way) {
  const started = performance.now();
  const made = texts().map((element) => {
    try {
      return [element, WAYS[way](element)];
    } catch {
      return [element, null];
    }
  });
  return { made, milliseconds: performance.now() - started };
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Rename every class, and insert one element before a child of each text's parent, at random: a div, as tools of other
 * makers do, or one of the same tag as that child.
 */
function disturb(seed, isAlike) {
  const random = numbers(seed);
  const parents = new Set(texts().map((element) => element.parentElement));
  const renamed = new Map();
  for (const element of document.querySelectorAll("[class]")) {
    for (const name of element.classList) if (!renamed.has(name)) renamed.set(name, `r${renamed.size}`);
    element.setAttribute("class", [...element.classList].map((name) => renamed.get(name)).join(" "));
  }
  for (const parent of parents) {
    const next = parent.children[Math.floor(random() * parent.children.length)];
    const added = document.createElement(isAlike ? next.localName : "div");
    added.className = "added";
    added.textContent = "New";
    next.before(added);
  }
}

/** Return how many selectors match their element and no other, and those that do not. */
function alive({ made }) {
  const lost = made.filter(([element, selector]) => {
    const found = selector === null ? [] : document.querySelectorAll(selector);
    return found.length !== 1 || found[0] !== element;
  });
  return { count: made.length - lost.length, lost: lost.map(([, selector]) => selector) };
}

/** Note, disturb, count. */
globalThis.selectorsAlive = ([seed, isAlike]) => {
  const before = Object.fromEntries(Object.keys(WAYS).map((way) => [way, noted(way)]));
  disturb(seed, isAlike);
  return Object.entries(before).map(([way, each]) => ({
    way,
    of: each.made.length,
    milliseconds: each.milliseconds,
    ...alive(each),
  }));
};
