import { api, data, type Schemas } from "../../api/client.ts";
import { may } from "../../session/session.ts";

type Day = Schemas["FunnelDay"];

/** What the shop's days show: visitors, and the shares of them that reach each step. */
export interface Traffic {
  /** Visitors of an average day; null where none was measured. */
  daily: number | null;
  rates: Record<Step, number | null>;
}

export type Step = "add_to_cart" | "checkout_started" | "purchase";

export const UNKNOWN: Traffic = {
  daily: null,
  rates: { add_to_cart: null, checkout_started: null, purchase: null },
};

const FEWEST_VISITORS = 100;

/** Read the traffic of the shop's last four weeks; unknown where it may not be read. */
export async function shopTraffic(): Promise<Traffic> {
  if (!may("analytics:read")) return UNKNOWN;
  const days = await data(api.GET("/analytics/funnel")).catch(() => null);
  return days ? trafficOf(days.data) : UNKNOWN;
}

/** Return the traffic of these days, from the first with a visitor on; the last, which is not over, does not count. */
export function trafficOf(days: readonly Day[]): Traffic {
  const first = days.findIndex(({ visited }) => visited > 0);
  if (first < 0) return UNKNOWN;
  const whole = days.length - first > 1 ? days.slice(first, -1) : days.slice(first);
  const sum = (field: "visited" | "added_to_cart" | "started_checkout" | "purchased") =>
    whole.reduce((total, day) => total + day[field], 0);
  const visitors = sum("visited");
  const rate = (reached: number) => (visitors >= FEWEST_VISITORS && reached > 0 ? reached / visitors : null);
  return {
    daily: visitors / whole.length,
    rates: {
      add_to_cart: rate(sum("added_to_cart")),
      checkout_started: rate(sum("started_checkout")),
      purchase: rate(sum("purchased")),
    },
  };
}

type GoalKind = Pick<Schemas["Goal"], "type" | "event_name" | "filter" | "page_id" | "url_pattern">;

/** Return the share of visitors who reach a goal, where the shop's days show it. */
export function rateOf(goal: GoalKind | undefined, { rates }: Traffic): number | null {
  if (!goal || goal.filter || goal.page_id) return null;
  if (goal.type === "revenue") return rates.purchase;
  if (goal.type !== "custom") return null;
  if (goal.event_name === "add_to_cart" || goal.event_name === "checkout_started") return rates[goal.event_name];
  return null;
}
