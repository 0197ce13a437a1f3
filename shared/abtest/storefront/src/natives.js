// The browser functions we call late, taken before the page can put its own in their place.
// Array methods are not called anywhere in this SDK: a page may have changed them before we came.

export const {
  fetch: nativeFetch,
  setTimeout: startTimer,
  clearTimeout: stopTimer,
  requestAnimationFrame: nextFrame,
} = globalThis;
export const { keys: keysOf } = Object;
export const { isArray } = Array;
export const { now } = Date;
export const { random } = Math;
