// The snippet on this page: whether it has loaded, and calls that wait for it. Safe on servers, where there is none.

import type { Svc, SvcEventData } from './svc.js';

/** So many events wait for a snippet that has not loaded; more are dropped. */
const MAX_WAITING = 100;

const nothing = (): void => undefined;

const found = (): Partial<Svc> | undefined => (typeof window === 'undefined' ? undefined : window.svc);

/** `window.svc` once the snippet has loaded; undefined before, on servers, and where the snippet is blocked. */
export const storefront = (): Svc | undefined => {
  const svc = found();
  // Earlier there may be attributes of the page, or the calls of the bounded tag: only the SDK has `chunk`.
  return typeof svc?.chunk === 'function' ? (svc as Svc) : undefined;
};

/**
 * Call back once the snippet has loaded, at once if it has.
 * @returns a function that stops waiting
 */
export const whenLoaded = (fn: (svc: Svc) => void): (() => void) => {
  const svc = storefront();
  if (svc) fn(svc);
  if (svc || typeof document === 'undefined') return nothing;
  const look = (): void => {
    const loaded = storefront();
    if (!loaded) return;
    stop();
    fn(loaded);
  };
  const stop = (): void => document.removeEventListener('load', look, true);
  // A script's load event does not bubble, but the document sees it on the way to the script.
  document.addEventListener('load', look, true);
  return stop;
};

/**
 * Wait until the snippet has decided what this visitor gets: that includes the visitor's consent, where it is required.
 * @param ms time limit in milliseconds; without one, a snippet that is blocked is waited for as long as the page lives
 * @returns `window.svc`; undefined on servers, and after the time limit
 */
export const whenReady = (ms?: number): Promise<Svc | undefined> =>
  new Promise((resolve) => {
    if (typeof window === 'undefined') resolve(undefined);
    if (ms !== undefined) setTimeout(() => resolve(undefined), ms);
    whenLoaded((svc) => svc.ready(resolve));
  });

let waiting = 0;

/**
 * Count an event, as `svc.track` does. Events wait until the snippet has loaded; on servers nothing happens.
 * @param name `order`, `refund`, or a name of your own
 */
export const track = <Name extends string>(name: Name, ...data: SvcEventData<Name>): void => {
  const svc = found();
  if (typeof svc?.track === 'function') svc.track(name, ...data); // the bounded tag has it before the snippet
  else if (waiting < MAX_WAITING) {
    waiting += 1;
    whenLoaded((loaded) => {
      waiting -= 1;
      loaded.track(name, ...data);
    });
  }
};
