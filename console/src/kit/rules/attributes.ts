import type { Schemas } from "../../api/client.ts";
import type { Option } from "../choices.tsx";

export type Comparison = Schemas["AudienceComparison"];
export type Attribute = Comparison["attribute"];
export type Operator = Comparison["operator"];

/** What the values of an attribute are. */
export type Kind = "text" | "mixed" | "visitor" | "number" | "boolean" | "tags" | "day" | "hour" | "time";

export interface AttributeWords {
  label: string;
  kind: Kind;
  /** What the key of the attribute is, where it needs one. */
  key?: string;
  keys?: readonly string[];
  placeholder?: string;
}

const UTM_KEYS = ["source", "medium", "campaign", "term", "content"];

export const ATTRIBUTES: Record<Attribute, AttributeWords> = {
  device: { label: "Device", kind: "text", placeholder: "mobile" },
  browser: { label: "Browser", kind: "text", placeholder: "safari" },
  os: { label: "Operating system", kind: "text", placeholder: "ios" },
  language: { label: "Language", kind: "text", placeholder: "de" },
  country: { label: "Country", kind: "text", placeholder: "DE" },
  region: { label: "Region", kind: "text" },
  city: { label: "City", kind: "text" },
  traffic_source: { label: "Traffic source", kind: "text", placeholder: "search" },
  currency: { label: "Currency", kind: "text", placeholder: "EUR" },
  market: { label: "Market", kind: "text" },
  referrer: { label: "Address they came from", kind: "text" },
  url: { label: "Address of the page", kind: "text" },
  utm: { label: "Campaign parameter", kind: "text", key: "Parameter", keys: UTM_KEYS },
  query: { label: "Query parameter", kind: "text", key: "Parameter" },
  cookie: { label: "Cookie", kind: "text", key: "Name" },
  page: { label: "Fact about the page", kind: "mixed", key: "Path" },
  data_layer: { label: "Data layer", kind: "mixed", key: "Path" },
  visitor: { label: "Visitor", kind: "visitor" },
  visits: { label: "Visits", kind: "number" },
  days_since_first_visit: { label: "Days since the first visit", kind: "number" },
  days_since_last_visit: { label: "Days since the last visit", kind: "number" },
  pages_viewed: { label: "Pages viewed in this visit", kind: "number" },
  screen_width: { label: "Width of the screen", kind: "number" },
  screen_height: { label: "Height of the screen", kind: "number" },
  logged_in: { label: "Logged in", kind: "boolean" },
  customer_tags: { label: "Tags of the customer", kind: "tags" },
  cart_value: { label: "Value of the cart", kind: "number" },
  cart_items: { label: "Items in the cart", kind: "number" },
  local_day: { label: "Day of the week", kind: "day" },
  local_hour: { label: "Hour of the day", kind: "hour" },
  local_time: { label: "Time of the day", kind: "time" },
};

export const OPERATORS: Record<Operator, string> = {
  equals: "is",
  not_equals: "is not",
  in: "is one of",
  not_in: "is none of",
  contains: "contains",
  not_contains: "does not contain",
  starts_with: "starts with",
  ends_with: "ends with",
  matches: "matches the expression",
  not_matches: "does not match the expression",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  exists: "is known",
  not_exists: "is not known",
};

const OF_TEXT: Operator[] = [
  ...(["equals", "not_equals", "in", "not_in", "contains", "not_contains"] as const),
  ...(["starts_with", "ends_with", "matches", "not_matches", "exists", "not_exists"] as const),
];
const OF_NUMBERS: Operator[] = [
  "equals",
  "not_equals",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "not_in",
  "exists",
  "not_exists",
];
const OF_CHOICES: Operator[] = ["equals", "not_equals"];

const OF_KINDS: Record<Kind, readonly Operator[]> = {
  text: OF_TEXT,
  mixed: [...OF_TEXT.slice(0, -2), "gt", "gte", "lt", "lte", "exists", "not_exists"],
  visitor: OF_CHOICES,
  number: OF_NUMBERS,
  boolean: OF_CHOICES,
  tags: ["contains", "not_contains", "in", "not_in", "exists", "not_exists"],
  day: ["equals", "not_equals", "in", "not_in"],
  hour: OF_NUMBERS,
  time: ["gt", "gte", "lt", "lte"],
};

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** Return the operators that an attribute takes. */
export function operatorsOf(attribute: Attribute): readonly Operator[] {
  return OF_KINDS[ATTRIBUTES[attribute].kind];
}

/** Return whether the values of an attribute depend on a time zone. */
export function needsZone(attribute: Attribute): boolean {
  return ["day", "hour", "time"].includes(ATTRIBUTES[attribute].kind);
}

/** Return the fixed values of an attribute, if it has such. */
export function choicesOf(attribute: Attribute): Option[] | null {
  const { kind } = ATTRIBUTES[attribute];
  if (kind === "visitor")
    return [
      { value: "new", label: "new" },
      { value: "returning", label: "returning" },
    ];
  return kind === "day" ? DAYS.map((day) => ({ value: day, label: day })) : null;
}

export type Value = Comparison["value"];

/** Return a comparison of another attribute or operator: parts that it cannot have are gone, and needed ones are there. */
export function adapted(comparison: Comparison, changed: Partial<Comparison>, zone: string): Comparison {
  const { attribute } = { ...comparison, ...changed };
  const allowed = operatorsOf(attribute);
  const wanted = changed.operator ?? comparison.operator;
  const operator = allowed.includes(wanted) ? wanted : (allowed[0] ?? "equals");
  const isSame = attribute === comparison.attribute;
  const result: Comparison = { attribute, operator };
  if (ATTRIBUTES[attribute].key)
    result.key = (isSame ? (changed.key ?? comparison.key) : ATTRIBUTES[attribute].keys?.[0]) ?? "";
  if (needsZone(attribute)) result.timezone = changed.timezone ?? comparison.timezone ?? zone;
  if (operator === "exists" || operator === "not_exists") return result;
  const given = "value" in changed ? changed.value : isSame ? comparison.value : initial(attribute);
  const value = fitted(given, operator);
  if (value !== undefined) result.value = value;
  return result;
}

function initial(attribute: Attribute): Value {
  if (ATTRIBUTES[attribute].kind === "boolean") return true;
  return choicesOf(attribute)?.[0]?.value ?? (ATTRIBUTES[attribute].kind === "text" ? "" : undefined);
}

function fitted(value: Value, operator: Operator): Value {
  const isMany = operator === "in" || operator === "not_in";
  if (isMany) return Array.isArray(value) ? value : value === undefined || value === "" ? [] : [value];
  return Array.isArray(value) ? value[0] : value;
}
