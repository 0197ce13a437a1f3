// The browser functions we call late, taken before the page can put its own in their place.
// Array methods are not called anywhere in this SDK: a page may have changed them before we came.

const host = globalThis;

export const nativeFetch = host.fetch;
export const startTimer = host.setTimeout;
export const stopTimer = host.clearTimeout;
export const nextFrame = host.requestAnimationFrame;
export const keysOf = Object.keys;
export const isArray = Array.isArray;
export const now = Date.now;
export const random = Math.random;

/**
 * Reads what the server wrote. A page that came before us may have put its own in the place of the browser's: a frame
 * of its own has the browser's still.
 * @param {string} text
 */
export const parseJson = (text) => {
  const { JSON } = host;
  if (JSON && /\[native code/.test(`${JSON.parse}`)) return JSON.parse(text);
  const frame = document.createElement('iframe');
  document.documentElement.append(frame);
  const { parse } = /** @type {any} */ (frame.contentWindow).JSON;
  frame.remove();
  return parse(text);
};
