import type { Schemas } from "../../api/client.ts";

export type Goal = Schemas["Goal"];

export const TYPES = [
  { value: "click", label: "A click" },
  { value: "pageview", label: "A page view" },
  { value: "custom", label: "An event of your own" },
  { value: "revenue", label: "An order" },
] as const;

export const AGGREGATIONS = [
  { value: "conversion", label: "Share of visitors who do it" },
  { value: "count", label: "How often, per visitor" },
  { value: "sum", label: "Sum of values, per visitor" },
  { value: "mean", label: "Mean of values" },
  { value: "ratio", label: "Ratio of two sums" },
] as const;

/** Return what a goal counts: `clicks on .buy`. */
export function countedInWords(goal: Goal): string {
  const where = goal.url_pattern ? ` on ${goal.url_pattern}` : "";
  const filtered = goal.filter ? ", by a filter" : "";
  return `${hits(goal)}${where}${filtered}`;
}

function hits({ type, selector, text_match, event_name }: Goal): string {
  if (type === "click") return `clicks on ${selector ?? `"${text_match ?? ""}"`}`;
  if (type === "pageview") return "page views";
  return type === "revenue" ? "orders" : `the event ${event_name ?? ""}`;
}

/** Return how a goal is measured: `share of visitors who do it, higher is better`. */
export function measuredInWords({ aggregation, direction, numerator, denominator }: Goal): string {
  const label = AGGREGATIONS.find(({ value }) => value === aggregation)?.label ?? aggregation;
  const ratio = aggregation === "ratio" ? `: ${numerator} per ${denominator}` : "";
  return `${label.charAt(0).toLowerCase()}${label.slice(1)}${ratio}, ${direction === "decrease" ? "lower" : "higher"} is better`;
}
