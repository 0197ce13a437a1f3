import { shop } from "../session/session.ts";
import { distanceFormat, momentFormat, numberFormat, SHORT } from "./formats.ts";

const NONE = "–";

/** A moment in the zone of the shop. */
export function Time({ at }: { at: string | null | undefined }) {
  return at ? momentOf(at, format(new Date(at), SHORT)) : NONE;
}

/** How long ago a moment was. */
export function Ago({ at }: { at: string | null | undefined }) {
  return at ? momentOf(at, ago(at, Date.now())) : "never";
}

/** Render a moment. Its long form is the title, made on hover: a list has many moments. */
function momentOf(at: string, text: string) {
  const name = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    currentTarget.title = format(new Date(at), { dateStyle: "full", timeStyle: "long" });
  };
  return (
    <time dateTime={at} onPointerEnter={name}>
      {text}
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
  const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  return distanceFormat().format(Math.round(seconds / size), unit);
}

function format(moment: Date, options: Intl.DateTimeFormatOptions): string {
  return momentFormat({ ...options, timeZone: shop.value?.timezone ?? "UTC" }).format(moment);
}

/** Return a count with separators. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : numberFormat().format(value);
}

/** Return a share as a percentage: 0.0534 as "5.34 %". */
export function percent(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return NONE;
  return numberFormat({
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
  return numberFormat(options).format(value);
}

/** Return an amount of the shop's currency. */
export function money(value: number | null | undefined, currency = shop.value?.currency ?? "EUR"): string {
  if (value === null || value === undefined) return NONE;
  return numberFormat({ style: "currency", currency }).format(value);
}
