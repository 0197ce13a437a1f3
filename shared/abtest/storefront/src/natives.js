// Browser functions that we call later, saved before the page can replace them.
// The SDK calls no array methods, because a page may have replaced them before the snippet ran.

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
