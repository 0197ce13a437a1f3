import { shop } from "../session/session.ts";

const LOCALE = "en-GB";
const NONE = "–";

/** A moment in the zone of the shop; the whole moment is its title. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <>{NONE}</>;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={format(moment, { dateStyle: "full", timeStyle: "long" })}>
      {format(moment, { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}

/** How long ago a moment was. */
export function Ago({ at }: { at: string | null | undefined }) {
  if (!at) return <>never</>;
  return (
    <time dateTime={at} title={format(new Date(at), { dateStyle: "full", timeStyle: "long" })}>
      {ago(at, Date.now())}
    </time>
  );
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** Return the time between a moment and now in words, in the largest unit that fits. */
export function ago(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const words = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return words.format(Math.round(seconds / size), unit);
  return words.format(Math.round(seconds), "second");
}

function format(moment: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: shop.value?.timezone ?? "UTC" }).format(moment);
}

/** Return a count with separators. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : new Intl.NumberFormat(LOCALE).format(value);
}

/** Return a share as a percentage: 0.0534 as "5.34 %". */
export function percent(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return NONE;
  return new Intl.NumberFormat(LOCALE, {
    style: "percent",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** Return a share as a number of percent, as a field shows it: 0.125 as 12.5. */
export function inPercent(share: number): number {
  return Number((share * 100).toFixed(4));
}

/** Return a change as a percentage with its sign. */
export function change(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return NONE;
  const options = {
    style: "percent",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "exceptZero",
  } as const;
  return new Intl.NumberFormat(LOCALE, options).format(value);
}

/** Return an amount of the shop's currency. */
export function money(value: number | null | undefined, currency = shop.value?.currency ?? "EUR"): string {
  if (value === null || value === undefined) return NONE;
  return new Intl.NumberFormat(LOCALE, { style: "currency", currency }).format(value);
}
