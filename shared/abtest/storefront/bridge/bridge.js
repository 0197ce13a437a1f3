// Bridge of the preview: first script of a previewed page. What scripts of the page load, and where they lead, goes
// through the proxy; a window that shows the preview in a frame hears of it. It runs before any script of the page.

/**
 * @typedef {{ base: string, token: string, hosts: string[], page: string, cookie: string }} Preview
 * @typedef {[owner: any, name: string, index: number, isScript?: boolean]} Loader
 */

/** Cookies of one report, which must be small to outlive its page. */
const MAX_COOKIES = 20;
const FORMS = { A: 'href', AREA: 'href', FORM: 'action', IFRAME: 'src', LINK: 'href', SCRIPT: 'src' };

/** @param {Preview} preview */
export const start = ({ base, token, hosts, page, cookie }) => {
  const win = /** @type {any} */ (window);
  const proxy = `${base}/api/preview`;
  const prefix = `${proxy}?pst=${token}&url=`;
  const state = `${proxy}/state?pst=${token}`;
  const { fetch: nativeFetch, parent } = win;

  /** @param {any} address */
  const parse = (address) => {
    try {
      return new URL(address, document.baseURI);
    } catch {
      return null;
    }
  };

  /** The shop's address of one at the proxy; null for any other. @param {string} address */
  const original = (address) => {
    const url = parse(address);
    const target = url && url.href.startsWith(`${proxy}?`) && url.searchParams.get('url');
    return target ? target + url.hash : null;
  };

  /** The shop's address of this page, also after a script has changed it. */
  const here = () => original(location.href) || page;

  /** @param {any} address @param {boolean} [isScript] */
  const mapped = (address, isScript) => {
    let url = parse(address);
    if (url && url.origin === base && !url.pathname.startsWith('/api/preview')) {
      url = parse(new URL(here()).origin + url.pathname + url.search + url.hash);
    }
    if (!url || !/^https?:/.test(url.protocol) || !hosts.includes(url.host)) return address;
    const { hash, host, pathname, protocol, search } = url;
    if (isScript) return `${proxy}/m/${token}/${protocol.slice(0, -1)}/${host}${pathname}${search}${hash}`;
    return prefix + encodeURIComponent(`${protocol}//${host}${pathname}${search}`) + hash;
  };

  const isFramed = () => {
    try {
      // A frame within a previewed page belongs to that page, which is of the same origin.
      return parent !== window && parent.location.origin !== base;
    } catch {
      return true;
    }
  };
  const talks = isFramed();

  /** @param {string} type @param {object} [about] */
  const post = (type, about) => {
    if (!talks) return;
    parent.postMessage({ source: 'svc-preview', type, url: here(), title: document.title, ...about }, '*');
  };

  /** @param {string} reason @param {string} blocked */
  const block = (reason, blocked) => post('blocked', { reason, blocked });

  /** @param {object} change */
  const report = (change) =>
    nativeFetch(state, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: here(), ...change }),
      keepalive: true,
    }).catch(() => {});

  /** Writes of cookies that are not reported yet. @type {string[]} */
  const written = [];
  let isReporting = false;
  /** Reports writes, one request after the other, since the last one counts; when the page is left, all at once. */
  const reportCookies = (isLeaving = false) => {
    if (!written.length || (isReporting && !isLeaving)) return;
    isReporting = true;
    report({ cookies: written.splice(0, MAX_COOKIES) }).then(() => {
      isReporting = false;
      reportCookies();
    });
    if (isLeaving) reportCookies(true);
  };
  addEventListener('pagehide', () => reportCookies(true));

  /** Changes the arguments of a function or constructor. @param {any} owner @param {string} name @param {any} change */
  const wrap = (owner, name, change) => {
    if (!owner || !owner[name]) return;
    owner[name] = new Proxy(owner[name], {
      apply: (target, self, args) => Reflect.apply(target, self, change(args, self)),
      construct: (target, args, type) => Reflect.construct(target, change(args), type),
    });
  };

  /** @type {Loader[]} */
  const loaders = [
    [win, 'fetch', 0],
    [win, 'Request', 0],
    [win, 'EventSource', 0],
    [win, 'open', 0],
    [win, 'Worker', 0, true],
    [win, 'SharedWorker', 0, true],
    [XMLHttpRequest.prototype, 'open', 1],
    [Navigator.prototype, 'sendBeacon', 0],
    [History.prototype, 'pushState', 2],
    [History.prototype, 'replaceState', 2],
  ];
  for (const [owner, name, index, isScript] of loaders) {
    wrap(owner, name, (/** @type {any[]} */ args) => {
      const given = args[index];
      if (given != null && !(given instanceof Request)) args[index] = mapped(given, isScript);
      if (owner === History.prototype) setTimeout(post, 0, 'navigated');
      return args;
    });
  }

  /** Fonts must be of the page's own origin. @param {any} css */
  const styled = (css) =>
    `${css}`.replace(/url\(\s*(["']?)([^"')]+)\1\s*\)/g, (_all, _quote, address) => `url("${mapped(address)}")`);
  wrap(win, 'FontFace', (/** @type {any[]} */ [name, source, ...rest]) => [
    name,
    typeof source === 'string' ? styled(source) : source,
    ...rest,
  ]);
  wrap(CSSStyleSheet.prototype, 'insertRule', (/** @type {any[]} */ [rule, ...rest]) => [styled(rule), ...rest]);
  for (const name of ['replace', 'replaceSync']) {
    wrap(CSSStyleSheet.prototype, name, (/** @type {any[]} */ [css]) => [styled(css)]);
  }

  // Addresses that scripts give to elements, by property and by attribute.
  for (const [type, name] of /** @type {[any, string][]} */ ([
    [HTMLScriptElement, 'src'],
    [HTMLLinkElement, 'href'],
    [HTMLIFrameElement, 'src'],
  ])) {
    const property = /** @type {any} */ (Object.getOwnPropertyDescriptor(type.prototype, name));
    Object.defineProperty(type.prototype, name, {
      ...property,
      set(address) {
        property.set.call(this, mapped(address, type === HTMLScriptElement));
      },
    });
  }
  wrap(Element.prototype, 'setAttribute', (/** @type {any[]} */ args, /** @type {Element} */ self) => {
    const { tagName } = self;
    const isAddress = `${args[0]}`.toLowerCase() === /** @type {any} */ (FORMS)[tagName];
    return isAddress && `${args[1]}`[0] !== '#' ? [args[0], mapped(args[1], tagName === 'SCRIPT')] : args;
  });

  // Cookies are the session's: scripts see a copy, and the server keeps what they write.
  Object.defineProperty(Document.prototype, 'cookie', {
    configurable: true,
    get: () => cookie,
    set(text) {
      const [pair, ...attributes] = `${text}`.split(';');
      const name = pair.split('=')[0].trim();
      const others = cookie.split('; ').filter((each) => each && each.split('=')[0] !== name);
      const isGone = attributes.some((each) => {
        const [key, value] = each.trim().toLowerCase().split('=');
        return key === 'max-age' ? Number(value) <= 0 : key === 'expires' && Date.parse(value) < Date.now();
      });
      cookie = (isGone ? others : [...others, pair.trim()]).join('; ');
      written.push(`${text}`);
      Promise.resolve().then(() => reportCookies()); // what a script writes in one go is one request
    },
  });
  Object.defineProperty(document, 'URL', { configurable: true, get: here });
  const referrer = document.referrer && (original(document.referrer) || '');
  Object.defineProperty(document, 'referrer', { configurable: true, get: () => referrer });

  if (navigator.serviceWorker) {
    ServiceWorkerContainer.prototype.register = (script) => {
      block('service_worker', `${script}`);
      return Promise.reject(new DOMException('a preview has no service workers', 'SecurityError'));
    };
  }

  /** A GET form has its address as its first fields, since its query is replaced. */
  const putFields = (/** @type {HTMLFormElement} */ form, /** @type {string} */ url) => {
    const old = /** @type {any} */ (form.querySelector('input[name=pst]'));
    if (old && old.value === token) {
      old.nextSibling.remove();
      old.remove();
    }
    for (const [name, value] of Object.entries({ url, pst: token })) {
      const input = document.createElement('input');
      form.prepend(Object.assign(input, { type: 'hidden', name, value }));
    }
  };

  /** Sends a form through the proxy. @param {HTMLFormElement} form @param {any} [button] */
  const prepare = (form, button) => {
    const owner = button && button.hasAttribute('formaction') ? button : form;
    const name = owner === form ? 'action' : 'formaction';
    const method = (button && button.getAttribute('formmethod')) || form.getAttribute('method') || 'get';
    const given = owner.getAttribute(name);
    const address = mapped(given ? given.trim() : here());
    if (/dialog/i.test(method) || !address.startsWith(prefix)) return;
    if (/post/i.test(method)) {
      owner.setAttribute(name, address);
      return;
    }
    owner.setAttribute(name, proxy);
    putFields(form, /** @type {any} */ (parse(address)).searchParams.get('url').split('?')[0]);
  };
  addEventListener('submit', (event) => {
    if (!event.defaultPrevented) prepare(/** @type {any} */ (event.target), event.submitter);
  });
  wrap(HTMLFormElement.prototype, 'submit', (/** @type {any} */ args, /** @type {any} */ form) => {
    prepare(form);
    return args;
  });

  /** Follows an address inside of the preview; false if it leads elsewhere. @param {string} address */
  const follow = (address, replaces = false) => {
    const target = mapped(address);
    if (target === address) return false;
    const [path, hash] = address.split('#');
    // A place of this page is no other page, however its address at the proxy is written.
    if (hash && path === here().split('#')[0]) location.hash = hash;
    else location[replaces ? 'replace' : 'assign'](target);
    return true;
  };
  addEventListener('click', (event) => {
    const path = /** @type {any[]} */ (event.composedPath());
    const link = path.find((node) => /^a(rea)?$/i.test(node.tagName));
    const given = link && (link.getAttribute('href') || link.getAttribute('xlink:href'));
    if (!given || event.defaultPrevented) return;
    if (given[0] === '#') {
      location.hash = given;
      event.preventDefault();
    } else if (mapped(given) !== given) {
      link.setAttribute('href', given);
    }
  });
  const { navigation } = win;
  if (navigation) {
    navigation.addEventListener('navigate', (/** @type {any} */ event) => {
      const { url } = event.destination;
      if (!event.cancelable || url.startsWith(proxy) || !/^https?:/.test(url)) return;
      event.preventDefault();
      if (!follow(url, event.navigationType === 'replace')) block('host', url);
    });
  }
  addEventListener('popstate', () => post('navigated'));
  addEventListener('hashchange', () => post('navigated'));

  /** @param {string} address */
  const load = (address) => document.head.append(Object.assign(document.createElement('script'), { src: address }));

  // A window that shows the preview knows its address, and with it all that these messages can ask for.
  addEventListener('message', ({ data, source }) => {
    if (!talks || source !== parent || !data || data.source !== 'svc-preview') return;
    if (data.type === 'navigate') follow(data.url);
    else if (data.type === 'reload') location.reload();
    else if (data.type === 'edit') load(`${proxy}/editor?pst=${token}`);
    else if (data.type === 'variation') report({ variation_id: data.variation_id }).then(() => location.reload());
  });

  win.__svcPreview = { url: here, go: follow };
  if (document.currentScript) document.currentScript.remove();
  post('hello');
  addEventListener('load', () => post('navigated'));
};
