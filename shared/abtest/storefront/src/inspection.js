// Fetches the tool for people who look at the page: previews, QA visits, explanations. Shoppers never load it.

import { given } from './decisions.js';
import { force } from './force.js';
import { config, scripts } from './page.js';
import { parts } from './parts.js';

/** An editor, by the name of the window that it opened; a preview or else a QA visit, by query or cookie. */
const REQUESTED = /^svc_edit=1|svc_preview=[\w.-]{1,4096}|svc_qa=1(?!.*svc_preview=\w)/;

/** Address of the tool and its files. @param {string} query */
export const toolAddress = (query) => `${config.runtime.events_url}/../s/${config.shop_id}.js?${query}`;

/**
 * Load the tool, which finds our state at its script. The parser waits for it if it waited for our own tag.
 * @param {string} query
 * @param {() => void} onFail
 * @param {unknown[]} [state] for an explanation; without one the tool takes over
 */
export const fetchTool = (query, onFail, state) => {
  const { currentScript, documentElement: root, readyState } = document;
  const own = /** @type {any} */ (state ? undefined : currentScript);
  /** @type {any} */
  let script = document.createElement('script');
  script.src = toolAddress(query);
  script.setAttribute('nonce', own?.nonce);
  script.setAttribute('blocking', 'render');
  if (own && !own.async && readyState === 'loading') {
    document.write(script.outerHTML);
    script = own.nextSibling;
  } else root.append(script);
  script.svc = [own, config, scripts, given, state];
  const onLoad = own?.onload;
  if (onLoad) own.onload = null; // the page may be shown when the tool has started
  script.onload = onLoad;
  script.onerror = () => {
    onFail();
    onLoad?.();
  };
};

/**
 * Return whether the tool takes over, because the page is edited, a QA visit or a preview.
 * @param {() => void} onFail goes on without it; the visit is not counted
 * @param {string} cookie
 */
export const isInspected = (onFail, cookie) => {
  const requested =
    !parts._isTool?.() && REQUESTED.exec(`${window.opener && window.name};${location.search};${cookie}`);
  if (!requested) return false;
  force._isFlagged = true;
  try {
    fetchTool(requested[0], onFail);
    return true;
  } catch {} // the page's policy lets no script in
  return false;
};
