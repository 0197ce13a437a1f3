// The part that asks who a visitor is: conditions over attributes.

import { attributesOf, overlay } from './attributes.js';
import { browserAttributes, trafficSourceOf } from './browser_attributes.js';
import { holds } from './conditions.js';
import { parts } from './parts.js';
import { fields, SOURCE } from './visit.js';

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

/** Where the visitor came from to this page, before it became another by itself. */
let source = '';

parts._land = () => {
  source = trafficSourceOf(location.search, document.referrer, location.hostname);
};

/** A visit comes from where it began, or from the last campaign or site that led here. Names sort behind hints. */
parts._arrive = () => {
  if (fields[SOURCE] < '0' || (source !== 'internal' && source !== 'direct')) fields[SOURCE] = source;
  source = 'internal';
};

parts._attributes = (given) => {
  const attributes = overlay(browserAttributes(), given);
  parts._kept?.(attributes, given);
  return attributes;
};
