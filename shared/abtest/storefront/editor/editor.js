// The part of the visual editor that runs in the shop's page. It shows the draft, and reports the element that a person
// points at. It belongs to one window, around the page or that opened it, and to the nonce of that one.

import { addCss } from '../src/css.js';
import { describe } from './describe.js';
import { countOn } from './elsewhere.js';
import { matchesOf, show } from './engine.js';
import { linksOf } from './links.js';
import { enter } from './live.js';
import { createPicker } from './picker.js';
import { asOfShop } from './shop_markup.js';

const SOURCE = 'svc-edit';
/** Characters; longer elements are not moved. */
const MAX_COPY = 100001;
const MAX_SELECTORS = 250;
/** Pages of one order to count: two others, and this one as its server sends it. */
const MAX_PAGES = 3;

/** @param {Iterable<unknown>} list @param {number} most */
const textsOf = (list, most) => [...list].slice(0, most).map((each) => `${each}`);

/** @param {Element} element @returns {Record<string, Element | null>} */
const neighbours = (element) => ({
  previous: element.previousElementSibling,
  next: element.nextElementSibling,
  inside: element.firstElementChild,
  around: element.parentElement,
});

/**
 * @param {Window | null} peer
 * @param {string} origin of the peer; `*` in a preview, whose pages hold nothing that the window around may not see
 */
export const start = (peer = parent, origin = '*') => {
  const live = origin === '*' ? null : enter(peer);
  if (!peer || live?.isOver()) return;
  let nonce = live?.nonce ?? '';

  /** @param {string} type @param {object} [about] */
  const post = (type, about) => peer.postMessage({ source: SOURCE, nonce, type, ...about }, origin);

  const picker = createPicker((element) => post('selected', { element: describe(element) }));

  /** Selects what is next to the chosen element, or the first thing of the page. @param {string} to */
  const walk = (to) => {
    const from = picker.chosen();
    const next = from ? neighbours(from)[to] : document.querySelector('h1') || document.querySelector('main, body > *');
    if (!next || /^(html|body)$/.test(next.localName)) return;
    next.scrollIntoView({ block: 'nearest' });
    picker.select(next);
  };

  /** Selects the ancestor that is so many levels up. @param {number} levels */
  const climb = (levels) => {
    let element = picker.chosen();
    for (let level = 0; level < levels && element?.parentElement; level++) element = element.parentElement;
    if (element) picker.select(element);
  };

  /** @type {Record<string, (data: any) => void>} */
  const orders = {
    begin: (data) => {
      if (!live) nonce = `${data.nonce}`;
      live?.begin();
      post('ready');
    },
    show: ({ mutations, css, turn }) => {
      post('shown', { turn, ...show(mutations, css) });
      picker.follow();
    },
    mode: ({ picks }) => picker.pick(!!picks),
    count: ({ turn, selectors, urls, isFresh }) => {
      const them = textsOf(selectors, MAX_SELECTORS);
      post('counted', { turn, url: '', outcome: 'counted', matches: them.map((each) => matchesOf(each)) });
      for (const url of textsOf(urls, MAX_PAGES)) {
        countOn(url, them, !!isFresh).then((count) => post('counted', { turn, url, ...count }));
      }
    },
    links: () => post('linked', { urls: linksOf() }),
    find: ({ selector }) => {
      const element = matchesOf(`${selector}`) > 0 && document.querySelector(`${selector}`);
      if (!element) return;
      element.scrollIntoView({ block: 'center', behavior: 'smooth' });
      picker.select(element);
    },
    climb: ({ levels }) => climb(Math.min(Number(levels) || 0, 50)),
    walk: ({ to }) => walk(`${to}`),
    copy: () => {
      const element = picker.chosen();
      if (element) post('copied', { html: asOfShop(element, true).outerHTML.slice(0, MAX_COPY) });
    },
    clear: () => picker.clear(),
    aside: ({ selectors }) => {
      removeAside?.();
      removeAside = null;
      const valid = [...selectors].filter((/** @type {any} */ each) => matchesOf(`${each}`) >= 0);
      if (valid.length) removeAside = addCss(`${valid.join(',')}{display:none!important}`);
    },
  };
  /** @type {(() => void) | null} */
  let removeAside = null;

  // In a frame the first message brings the nonce; a window has it from the one that opened it.
  const isOurs = (/** @type {any} */ data) =>
    data?.source === SOURCE && (data.nonce === nonce || (!live && data.type === 'begin'));

  addEventListener('message', ({ data, source, origin: from }) => {
    if (source !== peer || (live && from !== origin) || live?.isOver() || !isOurs(data)) return;
    if (Object.keys(orders).includes(data.type)) orders[data.type]?.(data);
  });
  const here = () => ({ url: location.href });
  const hello = () => post('hello', live ? here() : {});
  live?.onPages(hello, () => post('moved', here()), () => post('left'));
  hello();
};
