import type { Schemas } from "../../api/client.ts";
import type { Step, Traffic } from "./traffic.ts";

export type GoalBody = Schemas["GoalCreate"];

export interface Preset {
  key: string;
  name: string;
  says: string;
  step: Step | null;
  body: GoalBody;
}

/** What shops measure most; each is one of the events that every installation reports. */
export const PRESETS: readonly Preset[] = [
  {
    key: "add_to_cart",
    name: "Added to cart",
    says: "Visitors who put something into the cart",
    step: "add_to_cart",
    body: { name: "Added to cart", type: "custom", event_name: "add_to_cart" },
  },
  {
    key: "checkout_started",
    name: "Started checkout",
    says: "Visitors who began to pay",
    step: "checkout_started",
    body: { name: "Started checkout", type: "custom", event_name: "checkout_started" },
  },
  {
    key: "purchase",
    name: "Orders and revenue",
    says: "Visitors who ordered, and the money of each visitor",
    step: "purchase",
    body: { name: "Revenue", type: "revenue" },
  },
];

/** Return the preset that decides unless another is chosen: the one that most visitors reach takes the fewest days. */
export function likelyPreset({ rates }: Traffic): string {
  const seen = PRESETS.filter(({ step }) => step && rates[step] !== null);
  const most = [...seen].sort((a, b) => Number(b.step && rates[b.step]) - Number(a.step && rates[a.step]))[0];
  return (most ?? PRESETS[0])?.key ?? "";
}
