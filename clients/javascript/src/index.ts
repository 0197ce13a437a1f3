// `window.svc` with its types, safe before the snippet has loaded and on servers.

export type * from './svc.js';
export type { Bootstrap } from './bootstrap.js';
export { storefront, track, whenReady } from './snippet.js';
