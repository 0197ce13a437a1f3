import type { Schemas } from "../../api/client.ts";

type Experiment = Schemas["Experiment"];

export const STATUSES = [
  "draft",
  "awaiting_client_approval",
  "changes_requested",
  "client_approved",
  "qa",
  "ready_to_launch",
  "running",
  "paused",
  "completed",
] as const satisfies readonly Experiment["status"][];

const STATUS_WORDS: Record<Experiment["status"], string> = {
  draft: "Draft",
  awaiting_client_approval: "Awaiting approval",
  changes_requested: "Changes requested",
  client_approved: "Approved",
  qa: "In QA",
  ready_to_launch: "Ready to launch",
  running: "Running",
  paused: "Paused",
  completed: "Completed",
};

/** Return the status as people say it. */
export function statusWords(status: Experiment["status"]): string {
  return STATUS_WORDS[status];
}

export const KINDS: Record<Experiment["counting_type"], string> = {
  standard: "Test",
  aa_test: "A/A test",
  setup_test: "Setup test",
  non_program: "Outside the program",
};

export type Ended = "won" | "lost" | "inconclusive" | "invalid";

/** Outcomes, as they are chosen when a test is completed. */
export const OUTCOMES: Record<Ended, string> = {
  won: "Won",
  lost: "Lost",
  inconclusive: "No clear difference",
  invalid: "Not valid",
};

const DAY_MS = 86_400_000;

/** Return how many days an experiment has run; null where it never started. */
export function daysRun({ started_at, ended_at }: Pick<Experiment, "started_at" | "ended_at">, now: number) {
  if (!started_at) return null;
  const end = ended_at ? Date.parse(ended_at) : now;
  return Math.max(0, Math.floor((end - Date.parse(started_at)) / DAY_MS));
}

/** Return a number of days in words. */
export function daysInWords(days: number): string {
  if (days === 0) return "less than a day";
  return days === 1 ? "one day" : `${days} days`;
}

/** Return the weights of the variations in use as "50 / 50". */
export function split(variations: Experiment["variations"]): string {
  const shares = variations.filter((each) => !each.archived_at).map(({ weight }) => weight * 100);
  const digits = shares.every((share) => Math.abs(share - Math.round(share)) < 0.005) ? 0 : 1;
  return shares.map((share) => share.toFixed(digits)).join(" / ");
}
