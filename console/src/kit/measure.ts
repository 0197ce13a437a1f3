/** Values of goals in words: rates in percent, money in its currency, other means and ratios as they are. */
import { digitsOf } from "../plots/axis.ts";
import { numberFormat } from "./formats.ts";
import { change, money, percent } from "./values.tsx";

export type Metric = "rate" | "mean" | "ratio";

const NONE = "–";

/** Return the value of a goal; null is a dash. */
export function measured(value: number | null | undefined, metric: Metric, currency: string | null): string {
  if (value === null || value === undefined) return NONE;
  if (metric === "rate") return percent(value, Math.abs(value) < 0.09995 ? 2 : 1);
  return currency ? money(value, currency) : plain(value);
}

/** Return a difference between two variations with its sign; of rates in percentage points. */
export function apart(value: number | null | undefined, metric: Metric, currency: string | null): string {
  if (value === null || value === undefined) return NONE;
  if (metric === "rate") return `${plain(value * 100, 2, true)}\u00a0pp`;
  if (!currency) return plain(value, undefined, true);
  return numberFormat({ style: "currency", currency, signDisplay: "exceptZero" }).format(value);
}

/** Return an interval of a lift, such as "-1.2% to +3.4%". */
export function between(interval: { lower: number; upper: number } | null | undefined): string {
  return interval ? `${change(interval.lower)} to ${change(interval.upper)}` : NONE;
}

/** Return a p-value with three digits, or "<0.001". */
export function pValue(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  return value < 0.001 ? "<0.001" : value.toFixed(3);
}

/** Return how an axis writes the values of a goal. */
export function tickOf(metric: Metric, isSigned = false): (value: number, step: number) => string {
  const signDisplay = isSigned ? "exceptZero" : "auto";
  return (value, step) => {
    if (metric !== "rate") return short(value, digitsOf(step), signDisplay);
    const digits = digitsOf(step * 100);
    const text = plain(value * 100, digits, isSigned);
    return isSigned ? text : `${text}%`;
  };
}

/** Return what the compared number of a goal is, such as "EUR a visitor" or "conversion rate". */
export function measureOf(goal: {
  metric: Metric;
  type: string;
  numerator?: string | null;
  denominator?: string | null;
  currency: string | null;
}): string {
  if (goal.metric === "rate") return "conversion rate";
  if (goal.metric === "mean") return goal.currency ? `${goal.currency} a visitor` : "a visitor";
  const event = goal.type === "revenue" ? "order" : "event";
  const unit = goal.currency ?? (goal.numerator === "items" ? "items" : "value");
  return `${unit} an ${goal.denominator === "items" ? "item" : event}`;
}

function short(value: number, digits: number, signDisplay: "exceptZero" | "auto"): string {
  const isLong = Math.abs(value) >= 10_000;
  return numberFormat({
    signDisplay,
    ...(isLong
      ? { notation: "compact", maximumFractionDigits: 2 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  }).format(value);
}

/** Return a number with at least three significant digits, or with so many decimal ones. */
function plain(value: number, digits?: number, isSigned = false): string {
  const size = Math.abs(value);
  const needed = digits ?? (size === 0 || size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size))));
  return numberFormat({
    minimumFractionDigits: needed,
    maximumFractionDigits: needed,
    signDisplay: isSigned ? "exceptZero" : "auto",
  }).format(value);
}
