// Part for local time in the shop's time zones: day, hour and time of day.

import { record, some } from './lists.js';
import { parts } from './parts.js';

/** @import { Dark } from './types' */

/** Formats by zone, because creating one is expensive. @type {Record<string, Intl.DateTimeFormat>} */
const formats = record();

/** @param {string} timeZone */
const formatOf = (timeZone) =>
  (formats[timeZone] ||= new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  }));

/**
 * Local time, or undefined if the zone or the time is invalid.
 * @param {string} zone an IANA name
 * @param {number} ms Unix milliseconds
 */
export const localTime = (zone, ms) => {
  try {
    const match = /(\w+)\W+(\d+):(\d+)/.exec(formatOf(zone).format(ms));
    const [, day, hour, minute] = /** @type {RegExpExecArray} */ (match);
    return { day: day.toLowerCase(), hour: +hour, time: `${hour}:${minute}` };
  } catch {
    return undefined;
  }
};

/**
 * Return whether today is a dark day, on which nothing is delivered. An unknown zone has none.
 * @param {Dark} dark
 * @param {number} ms
 */
export const isDark = (dark, ms) => {
  const today = localTime(dark.zone, ms)?.day;
  return some(dark.days, (day) => day === today);
};

parts._isDark = isDark;
