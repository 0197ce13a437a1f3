// Handover: a visitor who goes on to another host of the shop stays the same one there.
// The edge signs the way for one host and a short time. It is asked when a link is pressed, before the click.

import { adopt } from './adopting.js';
import { guard, listen } from './guard.js';
import { toJson } from './json.js';
import { record, some } from './lists.js';
import { nativeFetch, now, startTimer } from './natives.js';
import { config } from './page.js';
import { parts } from './parts.js';
import { fields, VISITOR } from './visit.js';

/** @typedef {(answer: any) => void} Told */
/**
 * A way that was asked for: its token once it is there, and who waits for it.
 * @typedef {{ _token: string, _at: number, _done: boolean, _waiting: (() => void)[] }} Way
 */

/** A page that stays open asks again; a token lives for 30 seconds at least. */
const FRESH_MS = 15_000;

/**
 * The parameter's value in an address's query, and the query without it.
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

/** Where an event on this element leads: a link, or the form that it sends. @param {Event} event */
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
 * Where a form is sent to.
 * @param {HTMLElement | undefined} submitter
 * @param {HTMLFormElement} form
 */
const addressOf = (submitter, form) => {
  const said = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  return new URL(said || location.href, document.baseURI);
};

parts._handover = (next) => {
  const { shop_id: shop, runtime } = config;
  const { param, domains, timeout, signed, url } = /** @type {NonNullable<typeof runtime.handover>} */ (
    runtime.handover
  );
  /** @type {Record<string, Way>} */
  const ways = record();

  /**
   * @param {string} path
   * @param {Record<string, string>} asked
   * @param {Told} done is told the answer, or undefined
   */
  const ask = (path, asked, done) => {
    const tell = guard('handover', done);
    const failed = () => tell(undefined);
    const body = toJson({ _shopId: shop, _signature: runtime.events_signature, ...asked });
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

  /** The way to a host, asked for unless it was just now. @param {string} host @returns {Way} */
  const wayTo = (host) => {
    const known = ways[host];
    if (known && now() - known._at < FRESH_MS) return known;
    const visitorId = fields[VISITOR];
    /** @type {Way} */
    const way = (ways[host] = {
      _token: signed ? '' : visitorId,
      _at: now(),
      _done: !signed || !visitorId,
      _waiting: [],
    });
    if (way._done) return way;
    ask('', { visitorId, destination: host }, (answer) => {
      way._token = answer && /^[\w.-]+$/.test(answer.token) ? answer.token : '';
      way._done = true;
      if (!way._token) delete ways[host]; // the next press asks anew
      for (const wait of way._waiting) wait();
    });
    return way;
  };

  /**
   * @param {string} href
   * @param {Way} way
   */
  const handed = (href, { _token }) => (_token ? withPair(href, `${param}=${_token}`) : href);

  /**
   * Goes on when the way is there, or has taken too long.
   * @param {Way} way
   * @param {() => void} go
   */
  const after = (way, go) => {
    let isGone = false;
    const once = guard('handover', () => {
      if (isGone) return;
      isGone = true;
      go();
    });
    way._waiting[way._waiting.length] = once;
    startTimer(once, timeout);
  };

  /**
   * @param {MouseEvent} event
   * @param {HTMLAnchorElement} link
   */
  const follow = (event, link) => {
    const { href } = link;
    const way = wayTo(link.hostname);
    if (way._done) {
      link.href = handed(href, way);
      startTimer(() => (link.href = href), 0); // the browser has taken it by then
      return;
    }
    if (event.type !== 'click') return;
    event.preventDefault();
    after(way, () => {
      // A link that nobody else knows: the page has seen this click, with its keys.
      const copy = document.createElement('a');
      for (const name of ['target', 'rel', 'referrerpolicy']) {
        copy.setAttribute(name, link.getAttribute(name) || '');
      }
      copy.href = handed(href, way);
      copy.dispatchEvent(new MouseEvent('click', event));
    });
  };

  /**
   * Puts the parameter into a form that is being sent; a moment later all is as it was.
   * @param {HTMLFormElement} form
   * @param {string} href
   * @param {Way} way
   */
  const fill = (form, href, way) => {
    if (!way._token) return;
    const said = form.getAttribute('action');
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = param;
    field.value = way._token;
    if (isGet(form)) form.append(field);
    else form.setAttribute('action', handed(href, way));
    startTimer(() => {
      field.remove();
      if (said === null) form.removeAttribute('action');
      else form.setAttribute('action', said);
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
    if (submitter?.hasAttribute('formaction') && !isGet(form)) return; // a button's own address stays as it is
    const way = wayTo(hostname);
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

  /** What is pressed is asked for. @param {any} event */
  const press = (event) => {
    const { url: to } = leadsTo(event) || {};
    const isPressed = event.type !== 'keydown' || event.key === 'Enter';
    if (isPressed && to && isTheirs(to) && fields[VISITOR]) wayTo(to.hostname);
  };

  /** What is followed gets it. @param {any} event */
  const go = (event) => {
    const { link, form, url: to } = leadsTo(event) || {};
    if (isOurs || event.defaultPrevented || event.button === 2 || !to || !isTheirs(to) || !fields[VISITOR]) return;
    if (event.type === 'submit') submit(event, form, to);
    else if (link && !link.hasAttribute('download')) follow(event, link);
  };

  const watch = () => {
    listen('pointerdown', press);
    listen('keydown', press);
    // Last of all: what a page's own code has taken over is not ours to follow.
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
    if (!given) {
      next();
      return;
    }
    if (!signed) {
      adopt(given);
      next();
      return;
    }
    let isMet = false;
    /** @type {Told} */
    const meet = (answer) => {
      if (isMet) return;
      isMet = true;
      if (answer) adopt(`${answer.visitorId}`);
      next();
    };
    ask('/verify', { token: given, host: location.hostname }, meet);
    startTimer(guard('handover', () => meet(undefined)), timeout);
  };
};
