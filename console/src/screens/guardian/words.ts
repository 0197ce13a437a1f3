import type { Schemas } from "../../api/client.ts";
import { numberFormat } from "../../kit/formats.ts";

type Finding = Schemas["GuardianFinding"];

export const KINDS: Record<Finding["kind"], string> = {
  broken_delivery: "A variation is not delivered",
  broken_runtime: "Scripts fail",
  broken_conversion: "A goal has broken down",
  delivery_drift: "A part of the visitors does not get the variation",
  conversion_harm: "A goal gets worse",
  revenue_harm: "Visitors bring less money",
  revenue_loss: "It has cost the amount you set",
  sample_ratio_mismatch: "Visitors are not split as planned",
  multiple_exposure: "Visitors saw two variations",
  event_gap: "Events are missing",
  duplicate_orders: "Orders are reported twice",
  currency_residue: "Orders are in other currencies",
  measurement_coverage: "Visitors or orders are not measured",
};

export const ACTIONS: Record<Finding["action"], string> = {
  alert: "Reported. The experiment runs on.",
  pause: "Guardian paused the experiment: shoppers see the original.",
  pause_suppressed: "It would have been paused. Your settings do not allow that.",
  pause_failed: "It is to be paused. That did not succeed yet, and is tried again at each check.",
};

export const TONES: Record<Finding["severity"], "bad" | "warn" | "plain"> = {
  critical: "bad",
  warning: "warn",
  notice: "plain",
};

/** Return a figure with four digits that matter; figures are rates, shares, means or counts. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return numberFormat({ maximumSignificantDigits: 4 }).format(value);
}
