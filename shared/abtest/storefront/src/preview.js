// Part for previews: a page that people look at before visitors do. Nothing is sent, and nothing outlives the tab.

import { force } from './force.js';
import { config } from './page.js';
import { parts } from './parts.js';

const KEY = 'svc_preview';

/** Cookies of the page, and in the memory of the tab what would be our cookie: redirects are counted with it. */
const store = {
  get referrer() {
    return document.referrer;
  },
  get cookie() {
    try {
      return `${document.cookie}; ${window.sessionStorage.getItem(KEY) || ''}`;
    } catch {
      return '';
    }
  },
  set cookie(text) {
    try {
      window.sessionStorage.setItem(KEY, text.split(';')[0]);
    } catch {}
  },
};

/** The whole SDK has this part too, on pages that are counted. */
const isPreview = () => config.runtime.preview;

parts._preview = () => {
  if (!isPreview()) return undefined;
  force._isFlagged = true; // robots see the page too: the one that opens a preview wants to see it
  return store;
};
parts._isUncounted = isPreview;

/** The proxy shows the page at an address of its own. */
parts._href = () => (isPreview() && window.__svcPreview?.url()) || '';
parts._address = () => {
  const href = parts._href();
  return href ? new URL(href) : undefined;
};
parts._leaveFor = (destination) => isPreview() && window.__svcPreview?.go(destination, true);
