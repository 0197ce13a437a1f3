// Part for audiences: conditions over the visitor's attributes.

import { attributesOf, overlay } from './attributes.js';
import { browserAttributes, trafficSourceOf } from './browser_attributes.js';
import { holds } from './conditions.js';
import { parts } from './parts.js';
import { fields, SOURCE } from './visit.js';

/** @import { Condition, Facts } from './types' */

/**
 * The visitor's attributes, computed on first use.
 * @param {Facts} facts
 */
const attributesIn = (facts) =>
  (facts.attributes ||= attributesOf(facts.visitor, facts.address, facts.zones, facts.now));

/**
 * @param {Condition} condition
 * @param {Facts} facts
 */
parts._describes = (condition, facts) => holds(condition, attributesIn(facts));

/** Traffic source of this page load; `internal` for later page views of a single-page app. */
let source = '';

parts._land = () => {
  source = trafficSourceOf(location.search, document.referrer, location.hostname);
};

/**
 * A visit's source is where it began, or the last campaign or site that led here. The field of a new visit has a raw
 * hint that starts with `-`, which sorts before every name.
 */
parts._arrive = () => {
  if (fields[SOURCE] < '0' || (source !== 'internal' && source !== 'direct')) fields[SOURCE] = source;
  source = 'internal';
};

parts._attributes = (given) => {
  const attributes = overlay(browserAttributes(), given);
  parts._kept?.(attributes, given);
  return attributes;
};
