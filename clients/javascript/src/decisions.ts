// Decisions of the snippet on this page, for all stores: there is one snippet, watched once, as long as the page lives.

import { storefront, whenLoaded } from './snippet.js';
import type { Svc } from './svc.js';

type Listener = () => void;

/** Snippets from before this call have no `on`: of them only the first decision is noticed. */
interface Notifying {
  on?(name: 'decision' | 'consent', fn: Listener): unknown;
}

const listeners = new Set<Listener>();
let isWatching = false;
let hasDecided = false;

/**
 * The snippet, from its first decision about a visitor on. It decides nothing for bots and before consent, which is when
 * there is no visitor id. After consent was withdrawn there is none either, but then the page shows the original.
 */
export const decided = (): Svc | undefined => {
  const svc = storefront();
  if (svc && !hasDecided) hasDecided = svc.visitorId() !== '';
  return hasDecided ? svc : undefined;
};

const notify = (): void => {
  for (const listener of [...listeners]) listener();
};

const watch = (): void => {
  if (isWatching) return;
  isWatching = true;
  whenLoaded((svc) => {
    const notifying = svc as Svc & Notifying;
    svc.ready(notify);
    notifying.on?.('decision', notify);
    // The callback may come before a withdrawal takes effect.
    notifying.on?.('consent', () => queueMicrotask(notify));
  });
};

/** Call back whenever decisions may have changed. @returns a function that ends it */
export const subscribe = (listener: Listener): (() => void) => {
  listeners.add(listener);
  watch();
  return () => listeners.delete(listener);
};
