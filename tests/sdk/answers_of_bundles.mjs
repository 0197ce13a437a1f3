// What bundles decide, each in a page of its own that has nothing: the first line of standard input is
// `{bundles: {name: text}}`, each other one `{bundles: [name], config, visitor, url, now}`; one answer a line.

import { createInterface } from 'node:readline';
import { createContext, Script } from 'node:vm';

const nothing = () => {};

/** The mark of a landing page. */
const markOf = ({ served = {} }) => {
  const [mark] = Object.entries(served);
  return mark && { content: mark.join(':') };
};

/** As much of a browser as deciding needs; the page is still being parsed, so that no script of it runs. */
const pageOf = ({ visitor, url, now }) => {
  const { href, origin, host, hostname, pathname, search, hash, protocol } = new URL(url);
  const document = {
    cookie: visitor.id ? `svc_v=${visitor.id}.` : '',
    currentScript: { dataset: { surface: visitor.surface }, src: '' },
    readyState: 'loading',
    referrer: '',
    addEventListener: nothing,
    querySelector: (selector) => (selector === 'meta[name=svc-served]' ? markOf(visitor) : null),
    querySelectorAll: () => [],
    adoptedStyleSheets: [],
    documentElement: { matches: () => true, append: nothing },
    createElement: () => ({ remove: nothing, setAttribute: nothing }),
  };
  const window = {
    document,
    location: { href, origin, host, hostname, pathname, search, hash, protocol, replace: nothing },
    history: { pushState: nothing, replaceState: nothing },
    navigator: { userAgent: 'Mozilla/5.0 Firefox/130.0', language: 'de-DE' },
    screen: { width: 1, height: 1 },
    svc: { ...visitor.attributes, ...(visitor.customer_id && { customer_id: visitor.customer_id }) },
    addEventListener: nothing,
    setTimeout: () => 1,
    clearTimeout: nothing,
    requestAnimationFrame: nothing,
    fetch: () => Promise.resolve({ status: 202, headers: new Map() }),
    crypto: { getRandomValues: (bytes) => bytes },
    MutationObserver: class {
      observe() {}
      disconnect() {}
      takeRecords() {
        return [];
      }
    },
    CSSStyleSheet: class {
      replaceSync() {}
    },
    localStorage: { length: 0, key: nothing, getItem: nothing, setItem: nothing, removeItem: nothing },
    URL,
    URLSearchParams,
  };
  window.window = window;
  const context = createContext(window);
  new Script(`Date.now = () => ${now}`).runInContext(context);
  return context;
};

/** What the page's own code can tell. */
const askedOf = (svc, { flags = [], personalizations = [] }) => ({
  visitor: svc.visitorId(),
  assignments: svc.assignments(),
  flags: flags.map(({ key }) => svc.flag(key, 'none')),
  personalizations: personalizations.map(({ key }) => svc.personalization(key) ?? null),
});

let scripts;
const answer = (line) => {
  const asked = JSON.parse(line);
  if (!scripts) {
    scripts = Object.fromEntries(Object.entries(asked.bundles).map(([name, text]) => [name, new Script(text)]));
    return undefined;
  }
  return asked.bundles.map((name) => {
    const page = pageOf(asked);
    scripts[name].runInContext(page)(asked.config, []);
    return askedOf(page.svc, asked.config);
  });
};

for await (const line of createInterface({ input: process.stdin })) {
  const answered = answer(line);
  if (answered) console.log(JSON.stringify(answered));
}
