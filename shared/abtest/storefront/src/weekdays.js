// Local time in the zones of shops: day, hour and time of day.

import { record, some } from './lists.js';
import { parts } from './parts.js';

/** @import { Dark } from './types' */

/** Making a format costs a hundred times what using it does. @type {Record<string, Intl.DateTimeFormat>} */
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
 * Nothing where the zone, or the time, is unknown.
 * @param {string} zone an IANA name
 * @param {number} ms Unix milliseconds
 */
export const localTime = (zone, ms) => {
  try {
    const found = /(\w+)\W+(\d+):(\d+)/.exec(formatOf(zone).format(ms));
    const [, day, hour, minute] = /** @type {RegExpExecArray} */ (found);
    return { day: day.toLowerCase(), hour: +hour, time: `${hour}:${minute}` };
  } catch {
    return undefined;
  }
};

/**
 * Whether nothing is delivered today. An unknown zone has no dark days.
 * @param {Dark} dark
 * @param {number} ms
 */
export const isDark = (dark, ms) => {
  const today = localTime(dark.zone, ms)?.day;
  return some(dark.days, (day) => day === today);
};

parts._isDark = isDark;
