// The part that asks who a visitor is: conditions over attributes.

import { attributesOf, overlay } from './attributes.js';
import { browserAttributes, trafficSourceOf } from './browser_attributes.js';
import { holds } from './conditions.js';
import { parts } from './parts.js';

/** @import { Condition, Facts } from './types' */

/**
 * What is known of the visitor, put together when it is first asked for.
 * @param {Facts} facts
 */
const attributesIn = (facts) =>
  (facts.attributes ||= attributesOf(facts.visitor, facts.address, facts.zones, facts.now));

/**
 * @param {Condition} condition
 * @param {Facts} facts
 */
parts._describes = (condition, facts) => holds(condition, attributesIn(facts));

parts._sourceOf = () => trafficSourceOf(location.search, document.referrer, location.hostname);

parts._attributes = (visit, dataLayer, given) => {
  const attributes = overlay(browserAttributes(visit, dataLayer), given);
  parts._kept?.(attributes, given);
  return attributes;
};
