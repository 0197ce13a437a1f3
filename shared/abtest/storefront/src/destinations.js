// Part that passes exposures on to the shop's own analytics: the settings' exposure destinations.

import { decisions } from './decisions.js';
import { guard, listen } from './guard.js';
import { select, some } from './lists.js';
import { startTimer } from './natives.js';
import { hear } from './notices.js';
import { parts } from './parts.js';
import { whenParsed } from './treatments.js';
import { fields, VISITOR } from './visit.js';

/** @import { Destination, SdkEvent } from './types' */

/** Times after an exposure at which a tool that was missing is looked for again, next to the events of loading. */
const LOOKS_MS = [1000, 3000, 9000];
const GIVEN_UP_MS = 9500;

/** Exposures whose tool is not on the page yet. @type {[Destination, SdkEvent][]} */
let waiting = [];

/**
 * Call the tool with an exposure. Return whether the page has it.
 * @param {Destination} name
 * @param {SdkEvent} exposure
 */
const pass = (name, { experimentId, variationId }) => {
  const { analytics, dataLayer, gtag } = /** @type {any} */ (window);
  if (name === 'segment') {
    if (!analytics?.track) return false;
    analytics.track('Experiment Viewed', { experiment_id: experimentId, variation_id: variationId });
    return true;
  }
  const event = 'experience_impression';
  const variant = { exp_variant_string: `SVC-${experimentId}-${variationId}` };
  // Only on parsed pages: a `gtag` that is defined later ignores an object in its layer.
  const { push } = (document.readyState !== 'loading' && dataLayer) || {};
  if (gtag?.call) gtag('event', event, variant);
  else push?.call(dataLayer, { event, ...variant });
  return gtag?.call || push;
};

const offer = guard('exposures', (/** @type {typeof waiting[0]} */ one) => {
  const [name, exposure] = one;
  const { visitorId, qa_mode: isQa } = exposure;
  if (isQa || visitorId !== fields[VISITOR]) return; // not counted, or consent was withdrawn
  if (!pass(name, exposure)) waiting[waiting.length] = one;
});

const look = () => {
  const looked = waiting;
  waiting = []; // first, because a tool may make the page count further exposures
  for (const one of looked) offer(one);
};

/**
 * Redirects leave before a tool is on the page, so the other variations would be passed on alone.
 * @param {string | undefined} id
 */
const redirects = (id) => some(decisions, ({ experiment }) => experiment.id === id && experiment.type === 'redirect');

parts._passOn = (names) => {
  hear('exposure', (/** @type {SdkEvent} */ exposure) => {
    if (redirects(exposure.experimentId)) return;
    for (const name of names) offer([name, exposure]);
    for (const ms of LOOKS_MS) startTimer(look, ms);
    startTimer(() => (waiting = select(waiting, ([, one]) => one !== exposure)), GIVEN_UP_MS);
  });
  whenParsed(look);
  listen('load', look);
};
