import type { Schemas } from "../../api/client.ts";
import { ATTRIBUTES, type Comparison, OPERATORS } from "./attributes.ts";

export type AudienceRules = Schemas["AudienceRulesTree"];
export type UrlRule = Schemas["UrlRule"];
export type Trigger = Schemas["PageTrigger"];
export type Targeting = Schemas["Targeting"];

/** What defines a page: addresses, exceptions, a trigger and a condition. */
export interface PageDefinition {
  includeRules?: UrlRule[];
  excludeRules?: UrlRule[];
  trigger?: Trigger | null;
  advancedCondition?: Record<string, unknown> | null;
}

/** Return a sentence part for each thing that a page definition says: `on /products/*`, `but not on /products/gift`. */
export function pageInWords(page: PageDefinition): string {
  const included = page.includeRules ?? [];
  const excluded = page.excludeRules ?? [];
  const parts = [included.length ? `on ${anyOf(included)}` : "on no page"];
  if (excluded.length) parts.push(`but not on ${anyOf(excluded)}`);
  if (page.trigger && page.trigger.type !== "immediate") parts.push(triggerInWords(page.trigger));
  if (page.advancedCondition && Object.keys(page.advancedCondition).length) parts.push("if a condition holds");
  return parts.join(", ");
}

function anyOf(rules: readonly UrlRule[]): string {
  return joined(rules.map(patternOf), "or");
}

function patternOf({ type, pattern, include }: UrlRule): string {
  const text = type === "regex" ? `addresses that match ${pattern}` : pattern;
  return include === false ? `not ${text}` : text;
}

/** Return when a trigger fires: `once .add-to-cart is there`. */
export function triggerInWords(trigger: Trigger): string {
  if (trigger.type === "dom_ready") return "once the document is read";
  if (trigger.type === "element") return `once ${trigger.selector} is there`;
  if (trigger.type === "event") return `after the event ${trigger.eventName}`;
  if (trigger.type === "delay") return `after ${(trigger.ms ?? 0) / 1000} s`;
  return "at once";
}

/** Return what an audience is: `device is mobile and visitor is new`. Groups stand in brackets. */
export function audienceInWords(rules: AudienceRules): string {
  const parts = [
    ...(rules.conditions ?? []).map(comparisonInWords),
    ...(rules.groups ?? []).map((group) => `(${audienceInWords(group)})`),
  ];
  return parts.length ? parts.join(` ${rules.operator} `) : "everyone";
}

/** Return one comparison in words: `country is one of DE, AT`. */
export function comparisonInWords(comparison: Comparison): string {
  const { attribute, key, operator, value, timezone } = comparison;
  const label = ATTRIBUTES[attribute]?.label ?? attribute;
  const name = key ? `${lower(label)} ${key}` : lower(label);
  if (ATTRIBUTES[attribute]?.kind === "boolean") {
    return (value === true) === (operator === "equals") ? "is logged in" : "is not logged in";
  }
  const words = OPERATORS[operator] ?? operator;
  if (value === undefined) return `${name} ${words}`;
  const text = Array.isArray(value) ? value.map(shown).join(", ") : shown(value);
  return `${name} ${words} ${text}${timezone ? ` (${timezone})` : ""}`;
}

function shown(value: string | number | boolean): string {
  return value === "" ? "nothing" : String(value);
}

/** Names of pages and audiences by id. */
export type Names = ReadonlyMap<string, string>;

/** Return where and to whom something is shown, as two sentence parts. */
export function targetingInWords(targeting: Targeting | null, names: Names): { where: string; whom: string } {
  const pages = (targeting?.pageRules ?? []).filter(({ disabled }) => !disabled);
  const audiences = (targeting?.segmentRules ?? []).filter(({ disabled }) => !disabled);
  const where = pages.map((rule) => ({
    isIncluded: rule.include !== false,
    text: rule.pageId ? (names.get(rule.pageId) ?? rule.name ?? "a page") : rule.name || pageInWords(rule),
  }));
  const whom = audiences.map((rule) => ({
    isIncluded: rule.include !== false,
    text: rule.audienceId
      ? (names.get(rule.audienceId) ?? rule.name ?? "an audience")
      : rule.name || (rule.rules ? audienceInWords(rule.rules) : "everyone"),
  }));
  return {
    where: sides(where, targeting?.pageMatchMode, "every page"),
    whom: sides(whom, targeting?.segmentMatchMode, "everyone"),
  };
}

function sides(rules: { isIncluded: boolean; text: string }[], mode: string | undefined, all: string): string {
  const included = rules.filter(({ isIncluded }) => isIncluded).map(({ text }) => text);
  const excluded = rules.filter(({ isIncluded }) => !isIncluded).map(({ text }) => text);
  const shown = included.length ? joined(included, mode === "all" ? "and" : "or") : all;
  return excluded.length ? `${shown}, except ${joined(excluded, "or")}` : shown;
}

function joined(parts: readonly string[], word: string): string {
  if (parts.length < 2) return parts[0] ?? "";
  return `${parts.slice(0, -1).join(", ")} ${word} ${parts.at(-1)}`;
}

function lower(label: string): string {
  return label.charAt(0).toLowerCase() + label.slice(1);
}

/** Return rules without empty lists, as the API wants them. */
export function cleaned(rules: AudienceRules): AudienceRules {
  const { operator, conditions = [], groups = [] } = rules;
  return {
    operator,
    ...(conditions.length && { conditions }),
    ...(groups.length && { groups: groups.map(cleaned) }),
  };
}
