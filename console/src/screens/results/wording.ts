import type { Schemas } from "../../api/client.ts";
import type { Tone } from "../../kit/badge.tsx";

export type Report = Schemas["Report"];
export type Goal = Schemas["GoalResult"];
export type Row = Schemas["ResultRow"];
export type Engine = Report["engine"];
export type Dimension = Schemas["ReportSegments"]["dimension"];

type Worded = readonly [word: string, tone: Tone];

/** Word and tone of each verdict, as the printed report has them. */
export const VERDICTS: Record<Report["verdict"]["status"], Worded> = {
  not_started: ["Not started", "plain"],
  no_data: ["No data yet", "plain"],
  too_early: ["Too early to say", "plain"],
  undecided: ["No decision yet", "plain"],
  winner: ["Winner", "good"],
  loser: ["Worse than the control", "bad"],
  no_winner: ["No winner", "plain"],
  not_trusted: ["Do not trust yet", "warn"],
  stopped_for_harm: ["Stopped for harm", "bad"],
  harm: ["Harms a guardrail", "bad"],
};

export const STATES: Record<Row["state"], Worded> = {
  baseline: ["Control", "plain"],
  not_counted_yet: ["Not counted yet", "plain"],
  no_control: ["No control", "warn"],
  no_traffic: ["No traffic", "plain"],
  no_visitors: ["No visitors", "plain"],
  too_few_visitors: ["Too few visitors", "plain"],
  zero_denominator: ["Nothing to divide by", "plain"],
  no_conversions: ["No conversions", "plain"],
  too_few_conversions: ["Too few conversions", "plain"],
  no_variance: ["No difference at all", "plain"],
  no_look: ["No planned look yet", "plain"],
  undecided: ["Undecided", "plain"],
  better: ["Better", "good"],
  worse: ["Worse", "bad"],
  contradictory: ["Contradictory", "warn"],
  estimated: ["Estimated", "plain"],
};

export const GUARDRAILS: Record<Schemas["GuardrailFinding"]["status"], Worded> = {
  harmed: ["Harmed", "bad"],
  no_harm_shown: ["No harm shown", "good"],
  too_little_data: ["Too little data", "plain"],
  no_data: ["No data", "plain"],
  not_counted: ["Not counted yet", "plain"],
  redefined: ["Redefined", "plain"],
  excluded_currency_residue: ["Other currencies", "warn"],
  measurement_quality_unavailable: ["Not all seen", "warn"],
};

export const ENGINES: Record<Engine, string> = {
  sequential: "Sequential: may be read at any time",
  frequentist: "Frequentist: one look, at the planned end",
  group_sequential: "Group-sequential: planned looks",
  bayesian: "Bayesian: probabilities",
};

export const ROLES: Record<Goal["role"], string> = {
  primary: "Primary goal",
  secondary: "Secondary goal",
  guardrail: "Guardrail",
};

export const DIMENSIONS: Record<Dimension, string> = {
  device: "Device",
  country: "Country",
  new_returning: "New or returning",
  source: "Source",
};

export const SEVERITIES: Record<Schemas["HealthFinding"]["severity"], Worded> = {
  critical: ["Critical", "bad"],
  warning: ["Warning", "warn"],
  notice: ["Notice", "plain"],
};

export const ACTIONS: Record<NonNullable<Schemas["HealthFinding"]["action"]>, string> = {
  alert: "Guardian told the team.",
  pause: "Guardian paused the experiment.",
  pause_suppressed: "Guardian would have paused the experiment; the settings forbid it.",
  pause_failed: "Guardian could not pause the experiment and tries again.",
};

export const GAPS: Record<Report["coverage"]["reasons"][number], string> = {
  consent_gated_sdk: "Visitors who did not consent are not counted.",
  low_order_stitch_rate: "Many orders are of visitors who were not seen in the storefront before.",
};

export const BY: Record<Schemas["TimelineEntry"]["by"], string> = {
  person: "",
  schedule: "by schedule",
  auto_stop: "by auto-stop",
  guardian: "by Guardian",
  system: "by the service",
};

/** A sign before a word, so that nobody needs its colour. */
export const SIGNS: Record<Tone, string> = { good: "✓", bad: "✕", warn: "!", plain: "○" };

/** Events that a plot marks: what changed the test or what it measures. */
export const MARKED: ReadonlySet<string> = new Set([
  "launched",
  "paused",
  "resumed",
  "restarted",
  "weights_changed",
  "plan_changed",
  "changed",
  "alert",
  "completed",
]);
