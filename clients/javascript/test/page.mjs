// A page of a shop in happy-dom, with packages and React of its own: what a module keeps as long as a page lives ends
// with the test.

import { rmSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Window } from 'happy-dom';

const folder = mkdtempSync(join(tmpdir(), 'storefront-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const MODULES = `
  export * from '@abtest/storefront';
  export * from '@abtest/storefront/react';
  export * as React from 'react';
  export { createRoot, hydrateRoot } from 'react-dom/client';
  export { renderToString } from 'react-dom/server.browser';
`;

/** React by its major version, and the file with everything in one. */
export const REACTS = { 19: {}, 18: { react: 'react-18', 'react-dom': 'react-dom-18' } };
const files = {};

const fileOf = async (major) => {
  const options = { bundle: true, format: 'esm', write: false, logLevel: 'silent' };
  const { outputFiles } = await build({
    ...options,
    alias: REACTS[major],
    define: { 'process.env.NODE_ENV': '"development"' },
    stdin: { contents: MODULES, resolveDir: new URL('.', import.meta.url).pathname },
  });
  const file = join(folder, `${major}.mjs`);
  writeFileSync(file, outputFiles[0].text);
  return pathToFileURL(file).href;
};

let pages = 0;

const load = async (major) => {
  files[major] ??= await fileOf(major);
  pages += 1;
  return import(`${files[major]}?${pages}`);
};

const GLOBALS = ['window', 'document', 'location', 'navigator', 'HTMLElement', 'Event'];

/** Modules as a server has them: there is neither window nor document. */
export const onServer = async (major) => {
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
  return load(major);
};

/** Modules on a page at an address. `errors` is what React and the page have written to the console. */
export const onPage = async (major, html = '', url = 'https://shop.example/') => {
  const window = new Window({ url });
  const values = { ...Object.fromEntries(GLOBALS.map((name) => [name, window[name]])), window };
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  window.document.body.innerHTML = `<div id="root">${html}</div>`;
  const errors = [];
  console.error = (...parts) => errors.push(parts.map(String).join(' '));
  const modules = await load(major);
  const root = window.document.getElementById('root');
  const { act } = modules.React;
  return {
    ...modules,
    window,
    errors,
    root,
    text: () => root.textContent,
    act,
    hydrate: (element) =>
      act(async () => modules.hydrateRoot(root, element, { onRecoverableError: (error) => errors.push(`${error}`) })),
    render: (element) => act(async () => modules.createRoot(root).render(element)),
    loaded: (svc) =>
      act(async () => {
        const script = window.document.createElement('script');
        window.document.head.append(script);
        window.svc = svc;
        script.dispatchEvent(new window.Event('load'));
      }),
  };
};

/** The SDK as far as hooks use it. `decide` is a decision, `consent` an answer, `listeners` who is called back. */
export const snippet = ({ assignments = [], flags = {}, personalizations = {}, visitor = 'v'.repeat(16) } = {}) => {
  const state = { assignments, flags, personalizations, visitor };
  const listeners = { decision: new Set(), consent: new Set(), ready: new Set() };
  const call = (name) => [...listeners[name]].forEach((fn) => fn(svc));
  const svc = {
    tracked: [],
    listeners,
    chunk() {},
    track: (...event) => svc.tracked.push(event),
    visitorId: () => state.visitor,
    // As in the SDK, each call has new objects.
    assignments: () => state.assignments.map((each) => ({ ...each })),
    flag: (key, fallback) => (key in state.flags ? state.flags[key] : fallback),
    personalization: (key) => state.personalizations[key],
    ready: (fn) => (state.visitor ? fn(svc) : listeners.ready.add(fn)),
    on(name, fn) {
      listeners[name].add(fn);
      if (state.visitor && name === 'decision') fn();
      return () => listeners[name].delete(fn);
    },
    decide(next) {
      const isFirst = !state.visitor;
      Object.assign(state, { visitor: 'v'.repeat(16) }, next);
      if (isFirst) call('ready');
      call('decision');
    },
    withdraw() {
      call('consent');
      Object.assign(state, { visitor: '', assignments: [], flags: {}, personalizations: {} });
    },
  };
  return svc;
};

export const assignment = (index, experimentId = 'e1', epoch = 1) => ({
  experimentId,
  variationId: `${experimentId}-${index}`,
  variationIndex: index,
  epoch,
});
