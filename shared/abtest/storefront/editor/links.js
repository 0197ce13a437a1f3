// Links of this page to other pages of the shop. Most shops mark those that act when they are followed.

import { absolute, isOfThisOrigin } from './shop_markup.js';

const ACTING = '[download], [rel~="nofollow"], [role="button"], [data-method], [data-confirm], [data-remote]';
const MAX_LINKS = 250;
const MAX_LENGTH = 500;

/** Return addresses, each once, in the order of the page. */
export const linksOf = () => {
  /** @type {Set<string>} */
  const urls = new Set();
  for (const link of document.querySelectorAll(`a[href]:not(${ACTING})`)) {
    const [url] = absolute(link.getAttribute('href') || '').split('#');
    if (url && url.length <= MAX_LENGTH && isOfThisOrigin(url)) urls.add(url);
    if (urls.size === MAX_LINKS) break;
  }
  return [...urls];
};
