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
