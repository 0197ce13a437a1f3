// Part for handover: a visitor who follows a link to another host of the shop keeps the visitor id.
// The edge signs a short-lived token for one host, which works once. It is requested before the click: when the mouse
// or the focus comes to a link, when a link is pressed, and for the first link when the page is first touched.

import { adopt } from './adopting.js';
import { guard, listen } from './guard.js';
import { toJson } from './json.js';
import { record, some } from './lists.js';
import { nativeFetch, now, startTimer } from './natives.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { fields, peek, randomId, VISITOR } from './visit.js';

/** @typedef {(answer: any) => void} OnResponse */
/**
 * One handover to a host: its token once available, and the click that waits for it.
 * @typedef {{ _token: string, _until: number, _done: boolean, _then?: () => void }} Way
 */

const ID = /^[\w-]{16,64}$/;
/** Time before a new token is requested after a request that failed. */
const PAUSE_MS = 1000;
/** Time without a response before the request is repeated: the first may wait for a new instance to start. */
const REPEAT_MS = 150;

/**
 * Split a query into the parameter's value and the rest.
 * @param {string} search
 * @param {string} param
 */
const takeFrom = (search, param) => {
  let value = '';
  let rest = '';
  for (const pair of search.slice(1).split('&')) {
    if (pair.slice(0, param.length + 1) === `${param}=`) value = pair.slice(param.length + 1);
    else rest += (rest && '&') + pair;
  }
  return { value, rest: rest && `?${rest}` };
};

/**
 * @param {string} href
 * @param {string} pair
 */
const withPair = (href, pair) => {
  const [address, ...hash] = href.split('#');
  return `${address}${/\?/.test(address) ? '&' : '?'}${pair}${hash.length ? href.slice(address.length) : ''}`;
};

/** @param {string} id */
const take = (id) => {
  if (ID.test(id)) adopt(id);
};

/** Target of an event: a link, or the form that it submits. @param {Event} event */
const leadsTo = (event) => {
  for (const node of /** @type {any[]} */ (event.composedPath())) {
    if (/^a(rea)?$/i.test(node.localName) && node.href) return { link: node, url: node };
    const form = node.localName === 'form' ? node : node.form;
    if (form) return { form, url: addressOf(/** @type {any} */ (event).submitter, form) };
  }
  return undefined;
};

/** @param {HTMLFormElement} form */
const isGet = (form) => !/^(post|dialog)$/i.test(form.getAttribute('method') || '');

/**
 * Address that a form submits to.
 * @param {HTMLElement | undefined} submitter
 * @param {HTMLFormElement} form
 */
const addressOf = (submitter, form) => {
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  return new URL(action || location.href, document.baseURI);
};

parts._handover = (next) => {
  const { shop_id: shop, runtime } = config;
  const { param, domains, timeout, ttl, signed, url } = /** @type {NonNullable<typeof runtime.handover>} */ (
    runtime.handover
  );
  /** Handovers that no click has used yet. @type {Record<string, Way>} */
  const ways = record();

  /**
   * @param {string} path
   * @param {Record<string, string>} members
   * @param {OnResponse} done receives the response, or undefined
   */
  const ask = (path, members, done) => {
    const tell = guard('handover', done);
    const failed = () => tell(undefined);
    const body = toJson({ _shopId: shop, _signature: runtime.events_signature, ...members });
    try {
      nativeFetch(url + path, {
        method: 'POST',
        body,
        credentials: 'omit',
        headers: { 'content-type': 'text/plain' },
      })
        .then((reply) => (reply.ok ? reply.json() : undefined))
        .then(tell, failed);
    } catch {
      failed();
    }
  };

  /** @param {{ protocol: string, hostname: string }} to */
  const isTheirs = ({ protocol, hostname }) =>
    /^https?:$/.test(protocol) &&
    hostname !== location.hostname &&
    some(domains, (domain) => hostname === domain || hostname.slice(-domain.length - 1) === `.${domain}`);

  /** Handover to a host; requests a token unless there is one for at least half of its time. @param {string} host */
  const wayTo = (host) => {
    const known = ways[host];
    if (known && now() < known._until) return known;
    const visitorId = fields[VISITOR];
    /** @type {Way} */
    const way = (ways[host] = { _token: signed ? '' : visitorId, _until: now() + ttl * 500, _done: !signed });
    const request = guard('handover', () => {
      if (way._done) return;
      ask('', { visitorId, destination: host }, (answer) => {
        if (way._done) return;
        way._token = answer && /^[\w.-]+$/.test(answer.token) ? answer.token : '';
        way._done = true;
        if (!way._token) way._until = now() + PAUSE_MS;
        way._then?.();
      });
    });
    request();
    startTimer(request, REPEAT_MS);
    return way;
  };

  /** Handover for one click: the next click gets another token. @param {string} host */
  const takeWay = (host) => {
    const way = wayTo(host);
    delete ways[host];
    return way;
  };

  /**
   * @param {string} href
   * @param {Way} way
   */
  const handed = (href, { _token }) => (_token ? withPair(href, `${param}=${_token}`) : href);

  /**
   * Continue when the token has arrived or the time limit is over.
   * @param {Way} way
   * @param {() => void} go
   */
  const after = (way, go) => {
    let isGone = false;
    way._then = guard('handover', () => {
      if (isGone) return;
      isGone = true;
      go();
    });
    startTimer(way._then, timeout);
  };

  /**
   * @param {MouseEvent} event
   * @param {HTMLAnchorElement} link
   */
  const follow = (event, link) => {
    const { href } = link;
    const way = takeWay(link.hostname);
    if (way._done) {
      link.href = handed(href, way);
      startTimer(() => (link.href = href), 0); // the browser has read the address by then
      return;
    }
    if (event.type !== 'click') return;
    event.preventDefault();
    after(way, () => {
      // A link without the page's listeners: they have already handled this click. The event keeps its modifier keys.
      const copy = document.createElement('a');
      for (const name of ['target', 'rel', 'referrerpolicy']) {
        copy.setAttribute(name, link.getAttribute(name) || '');
      }
      copy.href = handed(href, way);
      copy.dispatchEvent(new MouseEvent('click', event));
    });
  };

  /**
   * Add the parameter to a form that is being submitted, and remove it afterwards.
   * @param {HTMLFormElement} form
   * @param {string} href
   * @param {Way} way
   */
  const fill = (form, href, way) => {
    if (!way._token) return;
    const action = form.getAttribute('action');
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = param;
    field.value = way._token;
    if (isGet(form)) form.append(field);
    else form.setAttribute('action', handed(href, way));
    startTimer(() => {
      field.remove();
      if (action === null) form.removeAttribute('action');
      else form.setAttribute('action', action);
    }, 0);
  };

  let isOurs = false;

  /**
   * @param {SubmitEvent} event
   * @param {HTMLFormElement} form
   * @param {URL} to
   */
  const submit = (event, form, { href, hostname }) => {
    const { submitter } = event;
    if (submitter?.hasAttribute('formaction') && !isGet(form)) return; // keep an address that belongs to the button
    const way = takeWay(hostname);
    if (way._done) {
      fill(form, href, way);
      return;
    }
    event.preventDefault();
    after(way, () => {
      fill(form, href, way);
      isOurs = true;
      try {
        form.requestSubmit(submitter);
      } finally {
        isOurs = false;
      }
    });
  };

  /** Request the token when a click is likely. @param {any} event */
  const prepare = (event) => {
    const { url: to } = leadsTo(event) || {};
    if (to && isTheirs(to) && fields[VISITOR]) wayTo(to.hostname);
  };

  /** Request the token for the first such link of the page: fingers announce no tap. */
  const lookAhead = () => {
    for (const link of document.links) {
      if (isTheirs(link) && fields[VISITOR]) {
        wayTo(link.hostname);
        return;
      }
    }
  };

  /** Add the token on click or submit. @param {any} event */
  const go = (event) => {
    const { link, form, url: to } = leadsTo(event) || {};
    if (isOurs || event.defaultPrevented || event.button === 2 || !to || !isTheirs(to) || !fields[VISITOR]) return;
    if (event.type === 'submit') submit(event, form, to);
    else if (link && !link.hasAttribute('download')) follow(event, link);
  };

  const watch = () => {
    for (const name of ['pointerover', 'focusin', 'pointerdown']) listen(name, prepare);
    addEventListener('pointerdown', guard('handover', lookAhead), { once: true });
    // In the bubbling phase on the window, so that a page's own code can prevent the event first.
    for (const name of ['click', 'auxclick', 'submit']) addEventListener(name, guard('handover', go));
  };

  const { value, rest } = takeFrom(location.search, param);
  if (value) history.replaceState(history.state, '', location.pathname + rest + location.hash);
  let isWatched = false;
  let token = value;

  return () => {
    if (!isWatched) watch();
    isWatched = true;
    const given = token;
    token = '';
    if (!given || !signed) {
      if (given) take(given);
      next();
      return;
    }
    let isMet = false;
    /** @type {OnResponse} */
    const meet = (answer) => {
      if (isMet) return;
      isMet = true;
      if (answer) take(`${answer.visitorId}`);
      peek(); // other tabs may have written the cookie meanwhile
      next();
    };
    ask('/verify', { token: given, host: location.hostname, requestId: randomId() }, meet);
    startTimer(guard('handover', () => meet(undefined)), timeout);
  };
};
