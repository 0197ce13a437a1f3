import type { Schemas } from "../../api/client.ts";
import { asJson, readJson } from "../../kit/json.tsx";

type Trigger = Schemas["DataLayerTrigger"];
export type TriggerInput = Schemas["DataLayerTriggerInput"];
type Paths = string | string[] | undefined;

/** A trigger as it is typed: paths as text, the parts that few need as JSON. */
export interface TriggerDraft {
  eventName: string;
  dataLayerName: string;
  enabled: boolean;
  isOrder: boolean;
  revenueFrom: string;
  orderIdFrom: string;
  currencyFrom: string;
  trackEventName: string;
  trackPageview: boolean;
  reEvaluate: boolean;
  when: string;
  properties: string;
  mappings: string;
}

export const NEW_TRIGGER: TriggerDraft = {
  eventName: "",
  dataLayerName: "dataLayer",
  enabled: true,
  isOrder: true,
  revenueFrom: "ecommerce.value",
  orderIdFrom: "ecommerce.transaction_id",
  currencyFrom: "ecommerce.currency",
  trackEventName: "",
  trackPageview: false,
  reEvaluate: false,
  when: "",
  properties: "",
  mappings: "",
};

/** Return a stored trigger as it is typed. */
export function draftOf(trigger: Trigger): TriggerDraft {
  const revenue = trigger.trackRevenue;
  return {
    eventName: trigger.eventName,
    dataLayerName: trigger.dataLayerName ?? "dataLayer",
    enabled: trigger.enabled,
    isOrder: isOrder(trigger),
    revenueFrom: textOf(revenue?.revenueFrom),
    orderIdFrom: textOf(revenue?.orderIdFrom),
    currencyFrom: textOf(revenue?.currencyFrom),
    trackEventName: trigger.trackEventName ?? "",
    trackPageview: trigger.trackPageview ?? false,
    reEvaluate: trigger.reEvaluate ?? false,
    when: asJson(trigger.when),
    properties: asJson(trigger.properties),
    mappings: asJson(trigger.mappings),
  };
}

/** Return what the API takes. Parts of `stored` that the form does not show are kept. Throws a Problem for bad JSON. */
export function inputOf(draft: TriggerDraft, stored?: Trigger): TriggerInput {
  const name = draft.trackEventName.trim();
  const others = stored?.trackRevenue ?? {};
  const revenue = {
    ...others,
    enabled: true,
    revenueFrom: pathsOf(draft.revenueFrom),
    orderIdFrom: pathsOf(draft.orderIdFrom),
    currencyFrom: pathsOf(draft.currencyFrom),
  };
  return {
    eventName: draft.eventName.trim(),
    dataLayerName: draft.dataLayerName.trim() || undefined,
    enabled: draft.enabled,
    reEvaluate: draft.reEvaluate || undefined,
    trackPageview: draft.trackPageview || undefined,
    trackEventName: name || undefined,
    trackRevenue: draft.isOrder ? revenue : undefined,
    ...parsed("when", draft.when),
    ...parsed("properties", draft.properties),
    ...parsed("mappings", draft.mappings),
  };
}

function parsed(path: "when" | "properties" | "mappings", text: string): Partial<TriggerInput> {
  return text.trim() ? ({ [path]: readJson(path, text) } as Partial<TriggerInput>) : {};
}

/** Return paths in the order in which they are tried, from text with commas. */
export function pathsOf(text: string): Paths {
  const paths = text
    .split(",")
    .map((path) => path.trim())
    .filter(Boolean);
  return paths.length > 1 ? paths : paths[0];
}

function textOf(paths: Paths): string {
  return Array.isArray(paths) ? paths.join(", ") : (paths ?? "");
}

function isOrder(trigger: Trigger): boolean {
  return trigger.trackRevenue?.enabled ?? trigger.trackRevenue?.revenueFrom !== undefined;
}

/** Say what a push becomes. */
export function effectsOf(trigger: Trigger): string[] {
  const attributes = trigger.mappings?.length ?? 0;
  return [
    isOrder(trigger) && "an order",
    trigger.trackEventName && `the event ${trigger.trackEventName}`,
    trigger.trackPageview && "a page view",
    attributes > 0 && (attributes === 1 ? "an attribute of the visitor" : `${attributes} attributes of the visitor`),
  ].filter((effect): effect is string => Boolean(effect));
}
