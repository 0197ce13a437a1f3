/** Ticks and texts of a time axis, in the zone of the shop: d3's are in the zone of the browser. */

import { momentFormat } from "../kit/formats.ts";
import { offsetOf } from "../kit/moments.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 4, 7, 14, 28, 56, 112, 224].map((days) => days * DAY),
];

export interface Tick {
  at: number;
  text: string;
}

/** Return at most `most` ticks between two moments, at whole minutes, hours or days of the zone. */
export function timeTicks(first: number, last: number, zone: string, most = 6): Tick[] {
  if (first === last) return []; // the reading names the only place
  const step = STEPS.find((each) => (last - first) / each <= most - 1) ?? DAY * 448;
  const write = formatter(
    zone,
    step < DAY ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  );
  const ticks: Tick[] = [];
  const offset = offsetOf(first, zone);
  for (let local = Math.ceil((first + offset) / step) * step; ticks.length < most; local += step) {
    // The offset of that day: clocks may change on the way.
    const at = local - offsetOf(local - offset, zone);
    if (at > last) break;
    ticks.push({ at, text: write(at) });
  }
  return ticks;
}

/** Return a moment with date and time in the zone. */
export function momentText(at: number, zone: string): string {
  return formatter(zone, { dateStyle: "medium", timeStyle: "short" })(at);
}

/** Return the day of a moment in the zone. */
export function dayText(at: number, zone: string): string {
  return formatter(zone, { day: "numeric", month: "short", year: "numeric" })(at);
}

function formatter(zone: string, options: Intl.DateTimeFormatOptions): (at: number) => string {
  const format = momentFormat({ ...options, timeZone: zone });
  return (at) => format.format(at);
}
