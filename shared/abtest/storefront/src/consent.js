// Part for consent. Without it nothing is stored, sent or shown; it can be granted and withdrawn without a reload.

import { ownNames, remove } from './backlog.js';
import { emitOnce } from './events.js';
import { guard } from './guard.js';
import { isArray, startTimer } from './natives.js';
import { notify } from './notices.js';
import { config, scripts } from './page.js';
import { parts } from './parts.js';
import { openTransport } from './transport.js';
import { turn } from './turns.js';
import { readCookie, setVisitor, writeCookie } from './visit.js';

/** Some providers announce an answer before their API returns it. */
const LATER_MS = 250;
/** A request in flight at withdrawal is answered within this time, and its response may set the cookie again. */
const AFTERMATH_MS = 5000;
/** Prefix of all our keys in the browser's storage. */
const OURS = 'svc_';

parts._consent = (begin, end) => {
  const { read, events, group } = /** @type {NonNullable<typeof config.runtime.consent>} */ (config.runtime.consent);
  const reader = scripts[/** @type {number} */ (read)];
  /** `this` of the reader, kept between calls. */
  const state = {};
  let isGiven = false;
  /** The provider's last answer. `svc.consent()` applies until the provider's answer changes. @type {unknown} */
  let answered;
  /** @type {unknown} */
  let layer;

  const forget = guard('consent', () => {
    if (isGiven) return;
    if (readCookie()[0]) writeCookie('', 0);
    setVisitor('');
    for (const name of ownNames(OURS)) remove(name); // last, because it throws without storage
  });

  /** @param {unknown} answer true, false, or undefined if not yet given */
  const apply = (answer) => {
    if (answer === true && !isGiven) {
      isGiven = true;
      openTransport(true);
      notify('consent', { granted: true });
      begin();
      turn(() => emitOnce('consent', 'consent', { granted: true }));
    } else if (answer !== true && (isGiven || answer === false)) {
      if (isGiven) startTimer(forget, AFTERMATH_MS);
      notify('consent', { granted: false });
      isGiven = false;
      end();
      openTransport(false);
      forget();
    }
  };

  /** Guarded, because reading an item that the page pushed may throw. */
  const look = guard('consent', (/** @type {IArguments} */ items) => {
    for (const item of items) for (const name of events) if (item?.event === name) soon();
  });

  /** Watches the data layer for the provider's events. */
  const listen = () => {
    const array = /** @type {any} */ (window).dataLayer;
    if (array === layer || !isArray(array)) return;
    layer = array;
    const { push } = array;
    array.push = function () {
      const length = push.apply(this, /** @type {any} */ (arguments));
      look(arguments);
      return length;
    };
  };

  const ask = guard('consent', () => {
    guard('consent', listen)();
    if (typeof reader !== 'function') return;
    const answer = reader.call(state, group, ask);
    if (answer === answered) return;
    answered = answer;
    apply(answer);
  });

  const soon = () => {
    ask();
    startTimer(ask, LATER_MS);
  };

  parts._consented = (granted) => apply(!!granted);
  for (const name of events) {
    addEventListener(name, soon);
    document.addEventListener(name, soon);
  }
  ask();
};
