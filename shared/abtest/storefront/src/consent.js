// Consent: before it is given nothing is kept, sent or shown; it can be given and taken back without a reload.

import { ownNames, remove } from './backlog.js';
import { emitOnce } from './events.js';
import { guard } from './guard.js';
import { isArray, startTimer } from './natives.js';
import { config, scripts } from './page.js';
import { parts } from './parts.js';
import { openTransport } from './transport.js';
import { turn } from './turns.js';
import { readCookie, setVisitor, writeCookie } from './visit.js';

/** Some providers tell of an answer before they can be asked for it. */
const LATER_MS = 250;
/** A request that was on its way when consent was taken back is answered by then, and its answer may set the cookie. */
const AFTERMATH_MS = 5000;
/** Everything of ours in the browser's storage. */
const OURS = 'svc_';

parts._consent = (begin, end) => {
  const { read, events, group } = /** @type {NonNullable<typeof config.runtime.consent>} */ (config.runtime.consent);
  const reader = scripts[/** @type {number} */ (read)];
  /** The reader's own. */
  const state = {};
  let isGiven = false;
  /** The provider's last answer: the page's own word holds until the provider gives another. @type {unknown} */
  let answered;
  /** @type {unknown} */
  let layer;

  const forget = guard('consent', () => {
    if (isGiven) return;
    if (readCookie()[0]) writeCookie('', 0);
    setVisitor('');
    for (const name of ownNames(OURS)) remove(name); // last, as there may be no storage
  });

  /** @param {unknown} answer true, false, or undefined while there is none */
  const apply = (answer) => {
    if (answer === true && !isGiven) {
      isGiven = true;
      openTransport(true);
      begin();
      turn(() => emitOnce('consent', 'consent', { granted: true }));
    } else if (answer !== true && (isGiven || answer === false)) {
      if (isGiven) startTimer(forget, AFTERMATH_MS);
      isGiven = false;
      end();
      openTransport(false);
      forget();
    }
  };

  /** What a page pushes may throw when it is looked at. */
  const look = guard('consent', (/** @type {IArguments} */ items) => {
    for (const item of items) for (const name of events) if (item?.event === name) soon();
  });

  /** What a page pushes may be the event that tells of an answer. */
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
