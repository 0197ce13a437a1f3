// A page of the shop in a window that an editor opened. The snippet has left the page to us; where no editor answers,
// it gets the page back, as if anybody else had opened the window.

import { quiet } from './quiet.js';

const PATIENCE_MS = 2000;

/**
 * Take the page until the patience is over. The name of the window, which outlives its pages, has the nonce.
 * @param {Window | null} peer
 */
export const enter = (peer) => {
  const script = /** @type {any} */ (document.currentScript);
  const called = window.name;
  const [, nonce] = called.split(',');
  const wake = quiet();
  let hasBegun = false;
  let isOver = false;

  const giveBack = () => {
    if (hasBegun || isOver) return;
    isOver = true;
    window.name = '';
    wake();
    script?.onerror?.();
  };
  if (peer && nonce) setTimeout(giveBack, PATIENCE_MS);
  else giveBack();

  return {
    nonce,
    isOver: () => isOver,
    begin: () => {
      hasBegun = true;
    },
    /** @param {() => void} come @param {() => void} move @param {() => void} go */
    onPages: (come, move, go) => {
      // Pages may use the name for their own ends. When a page is hidden, it is too late: the next one has begun.
      addEventListener('beforeunload', () => {
        if (hasBegun) window.name = called;
      });
      addEventListener('pagehide', go);
      /** @type {any} */ (window).navigation?.addEventListener('currententrychange', move);
      addEventListener('pageshow', ({ persisted }) => persisted && come());
    },
  };
};
