import { momentFormat } from "./formats.ts";

/** Return a moment as the value of a `datetime-local` input, on the clock of a time zone. */
export function toInput(at: string | null | undefined, zone: string): string {
  if (!at) return "";
  const moment = Date.parse(at);
  return new Date(moment + offsetOf(moment, zone)).toISOString().slice(0, 16);
}

/** Return the moment that a `datetime-local` input means on the clock of a time zone; null for nothing or nonsense. */
export function fromInput(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  // The offset belongs to the moment that is looked for: where it changes in between, the second step mends the first.
  const near = wall - offsetOf(wall, zone);
  return new Date(wall - offsetOf(near, zone)).toISOString();
}

/** Return the moment so many hours ago. */
export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** Return how much later the clocks of a zone are than UTC at a moment, in milliseconds. */
export function offsetOf(moment: number, zone: string): number {
  const parts = momentFormat({
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const [year, month, day] = [part("year"), part("month"), part("day")];
  const wall = Date.UTC(year, month - 1, day, part("hour"), part("minute"), part("second"));
  return wall - Math.floor(moment / 1000) * 1000;
}
