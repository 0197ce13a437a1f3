// Consent: before it is given nothing is kept, sent or shown; it can be given and taken back without a reload.

import { isArray, startTimer } from './natives.js';
import { parts } from './parts.js';

/** Some providers tell of an answer before they can be asked for it. */
const LATER_MS = 250;
/** A request that was on its way when consent was taken back is answered by then, and its answer may set the cookie. */
const AFTERMATH_MS = 5000;

parts._consent = ({ _config, _scripts, _guard, _visit, _transport, _turn, _emitOnce }, begin, end) => {
  const { read, events, group } = /** @type {NonNullable<typeof _config.runtime.consent>} */ (_config.runtime.consent);
  const reader = _scripts[/** @type {number} */ (read)];
  /** The reader's own. */
  const state = {};
  let isGiven = false;
  /** The provider's last answer: the page's own word holds until the provider gives another. @type {unknown} */
  let answered;
  /** @type {unknown} */
  let layer;

  const forget = () => {
    if (isGiven) return;
    _transport.clear();
    _visit.forget();
  };

  /** @param {unknown} answer true, false, or undefined while there is none */
  const apply = (answer) => {
    if (answer === true && !isGiven) {
      isGiven = true;
      _transport.open(true);
      begin();
      _turn(() => _emitOnce('consent', 'consent', { granted: true }));
    } else if (answer !== true && (isGiven || answer === false)) {
      if (isGiven) startTimer(_guard('consent', forget), AFTERMATH_MS);
      isGiven = false;
      end();
      _transport.open(false);
      forget();
    }
  };

  /** What a page pushes may throw when it is looked at. */
  const look = _guard('consent', (/** @type {IArguments} */ items) => {
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

  const ask = _guard('consent', () => {
    _guard('consent', listen)();
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

  _transport.open(false);
  parts._consented = (granted) => apply(!!granted);
  for (const name of events) {
    addEventListener(name, soon);
    document.addEventListener(name, soon);
  }
  ask();
};
