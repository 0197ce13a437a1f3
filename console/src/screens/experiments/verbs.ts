import type { Schemas } from "../../api/client.ts";

type Experiment = Schemas["Experiment"];

/** Something that a person can do with an experiment: an action of its address, or one of the console's own. */
export interface Verb {
  action: string;
  label: string;
  scope: string;
  /** What happens, and to whom. Without it the verb needs no question. */
  says?: string;
  isHarmful?: boolean;
  /** Where it is done, where that is a tab. */
  tab?: string;
}

const WRITE = "experiments:write";
const LAUNCH = "experiments:launch";

export const VERBS: readonly Verb[] = [
  {
    action: "launch",
    label: "Launch",
    scope: LAUNCH,
    says: "Visitors see the variations from now on, and are counted.",
  },
  { action: "approve", label: "Review and approve", scope: "approvals:write", tab: "approval" },
  {
    action: "request-approval",
    label: "Request approval",
    scope: WRITE,
    says: "The people who approve see the design, and can approve it or ask for changes. Until then nothing is launched.",
  },
  { action: "start-qa", label: "Start QA", scope: WRITE },
  { action: "mark-ready", label: "Mark ready", scope: WRITE },
  { action: "resume", label: "Resume", scope: LAUNCH, says: "Visitors see their variation again, and are counted." },
  {
    action: "pause",
    label: "Pause",
    scope: LAUNCH,
    says: "Visitors see the original from now on. What was counted stays.",
  },
  {
    action: "complete",
    label: "Complete",
    scope: LAUNCH,
    says: "The test ends, and visitors see the original. Write down what was learned: the next test starts from there.",
  },
  {
    action: "ship",
    label: "Ship",
    scope: LAUNCH,
    says: "Every visitor whom the test was for sees the variation from now on, as a personalization.",
  },
  { action: "schedule", label: "Schedule", scope: LAUNCH, says: "It starts and ends by itself, to the minute." },
  {
    action: "restart",
    label: "Restart",
    scope: LAUNCH,
    says: "Results begin anew from now on, and all visitors are assigned again. Earlier results stay in the history only.",
    isHarmful: true,
  },
  { action: "request-changes", label: "Request changes", scope: "approvals:write", tab: "approval" },
  {
    action: "withdraw-approval",
    label: "Withdraw approval",
    scope: WRITE,
    says: "The experiment is a draft again, and its design must be approved anew.",
  },
  {
    action: "return-to-draft",
    label: "Return to draft",
    scope: WRITE,
    says: "The experiment is a draft again. An approval of its design is withdrawn.",
  },
  { action: "retry-publication", label: "Publish again", scope: LAUNCH },
  {
    action: "duplicate",
    label: "Duplicate",
    scope: WRITE,
    says: "The copy is a draft with the same design, without results.",
  },
  {
    action: "archive",
    label: "Archive",
    scope: WRITE,
    says: "It leaves the list, and a planned start is dropped. It can be brought back.",
  },
  { action: "unarchive", label: "Bring back", scope: WRITE },
  { action: "delete", label: "Delete", scope: WRITE, says: "The draft is gone for good.", isHarmful: true },
];

const DONE: Readonly<Record<string, string>> = {
  launch: "Launched. Your visitors are being counted.",
  "request-approval": "Approval is requested. Whoever approves sees it on the overview.",
  "withdraw-approval": "The approval is withdrawn.",
  "return-to-draft": "It is a draft again.",
  resume: "Resumed.",
  pause: "Paused. Visitors see the original.",
  complete: "Completed. Visitors see the original.",
  archive: "Archived.",
  unarchive: "It is back.",
};

/** Return what to say once a verb is done. */
export function doneInWords({ action, label }: Verb): string {
  return DONE[action] ?? `${label}: done.`;
}

const FIRST: Record<Experiment["status"], readonly string[]> = {
  draft: ["launch", "request-approval"],
  awaiting_client_approval: ["approve"],
  changes_requested: ["request-approval"],
  client_approved: ["launch"],
  qa: ["launch", "mark-ready"],
  ready_to_launch: ["launch"],
  // Nothing is likely next: a test runs until it has seen enough.
  running: [],
  paused: ["resume"],
  completed: ["ship"],
};

const BEHIND = new Set([
  "schedule",
  "restart",
  "withdraw-approval",
  "return-to-draft",
  "retry-publication",
  "duplicate",
  "archive",
  "delete",
]);

export interface Offered {
  first: Verb | null;
  /** Next to the first. */
  others: Verb[];
  /** Behind the menu. */
  more: Verb[];
}

type Position = Pick<Experiment, "status" | "archived_at" | "started_at" | "ended_at">;

/** Return the verbs that are offered: those that the status allows, and those that need no status. */
export function offered(of: Position, allowed: readonly string[], may: (scope: string) => boolean): Offered {
  const isOpen = (action: string) => allowed.includes(action) || isOwn(of, action);
  // Whoever approves finds the request for changes next to the approval.
  const isTwice = (action: string) => action === "request-changes" && allowed.includes("approve");
  const verbs = VERBS.filter(({ action, scope }) => isOpen(action) && !isTwice(action) && may(scope));
  const first = FIRST[of.status].flatMap((action) => verbs.filter((verb) => verb.action === action))[0] ?? null;
  const rest = verbs.filter((verb) => verb !== first);
  return {
    first,
    others: rest.filter(({ action }) => !BEHIND.has(action)),
    more: rest.filter(({ action }) => BEHIND.has(action)),
  };
}

/** Verbs that `allowed_actions` does not list, because they change no status. */
function isOwn({ status, archived_at, started_at }: Position, action: string): boolean {
  const isBefore = !started_at && status !== "running" && status !== "paused" && status !== "completed";
  if (action === "duplicate") return true;
  if (archived_at) return false;
  if (action === "schedule") return isBefore || status === "running" || status === "paused";
  if (action === "retry-publication") return status === "running" || status === "paused";
  return action === "delete" && isBefore && status === "draft";
}

/** Return the sentence of what an experiment allows now. */
export function allowedInWords(allowed: readonly string[]): string {
  const labels = allowed.map((action) => VERBS.find((verb) => verb.action === action)?.label ?? action);
  return labels.length ? `Possible now: ${labels.join(", ")}.` : "Nothing is possible now.";
}

interface Todo {
  /** The tab in which it is put right; "" is the first. */
  tab: string;
  do: string;
}

/** What to do about each item of the checklist, and where. */
export const STEP_OF_ITEM: Readonly<Record<string, Todo>> = {
  variations: { tab: "", do: "Add variations, or archive some." },
  control: { tab: "", do: "Make exactly one variation the control." },
  weights: { tab: "", do: "Set the split so that it is 100 %." },
  treatments: { tab: "", do: "Say what the variation changes, in the visual editor or by hand." },
  redirects: { tab: "", do: "Give each variation its page, and set under Targeting where it starts." },
  size: { tab: "", do: "Shorten code and changes." },
  targeting: { tab: "targeting", do: "Save the targeting again without what has no effect." },
  traffic: { tab: "targeting", do: "Let a share of the visitors take part." },
  landing_page: { tab: "", do: "Link the landing page again, and publish it." },
  goals: { tab: "goals", do: "Choose what decides." },
  plan: { tab: "plan", do: "State the smallest change that is worth finding." },
  approval: { tab: "approval", do: "Request the approval, and wait for it." },
};
