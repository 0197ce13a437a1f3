import type { Schemas } from "../../api/client.ts";
import { inWords } from "../../kit/badge.tsx";
import type { Experiment } from "./open.ts";
import { after } from "./outcomes.ts";
import { OUTCOMES } from "./words.ts";

type Row = Pick<Schemas["AuditLog"], "action" | "diff" | "created_at">;

const TITLES: Record<string, string> = {
  "experiment.create": "Created",
  "experiment.update": "Changed",
  "experiment.launch": "Launched",
  "experiment.pause": "Paused",
  "experiment.resume": "Resumed",
  "experiment.complete": "Completed",
  "experiment.restart": "Restarted",
  "experiment.archive": "Archived",
  "experiment.unarchive": "Brought back",
  "experiment.duplicate": "Duplicated",
  "experiment.request-approval": "Approval requested",
  "experiment.approve": "Approved",
  "experiment.request-changes": "Changes requested",
  "experiment.withdraw-approval": "Approval withdrawn",
  "experiment.return-to-draft": "Returned to draft",
  "experiment.start-qa": "QA started",
  "experiment.mark-ready": "Marked ready",
  "experiment.ship": "Shipped",
  "goal.create": "Goal added",
  "goal.update": "Goal changed",
  "goal.order": "Goals ordered",
  "goal.archive": "Goal archived",
  "goal.unarchive": "Goal brought back",
  "goal.delete": "Goal deleted",
  "variation.create": "Variation added",
  "variation.update": "Variation changed",
  "variation.archive": "Variation archived",
  "variation.unarchive": "Variation brought back",
  "variation.delete": "Variation deleted",
};

/** Return names of the experiment's parts by id, for fields of the history. */
export function namesIn({ variations, goals }: Experiment): ReadonlyMap<string, string> {
  return new Map([...variations, ...goals].map(({ id, name }) => [id, name]));
}

function titleOf(action: string): string {
  const known = TITLES[action];
  if (known) return known;
  const [entity = "", verb = ""] = action.split(".");
  const words = `${inWords(entity)}: ${inWords(verb.replaceAll("-", " "))}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function summaryOf({ diff }: Row, names: ReadonlyMap<string, string>): string | null {
  const outcome = after(diff, "outcome");
  const winner = after(diff, "winning_variation_id");
  const learning = after(diff, "learning");
  const parts = [
    typeof outcome === "string" && (OUTCOMES[outcome as keyof typeof OUTCOMES] ?? inWords(outcome)),
    typeof winner === "string" && `Winner: ${names.get(winner) ?? winner}`,
    typeof learning === "string" && learning,
  ].filter(Boolean);
  return parts.length ? parts.join(". ") : null;
}

/** Return a row of the history for people: what happened, and what was said about it. */
export function rowInWords(row: Row, names: ReadonlyMap<string, string>): { title: string; summary: string | null } {
  return { title: titleOf(row.action), summary: summaryOf(row, names) };
}

const NOT_DESIGN =
  /^(status|approval|archived_at|updated_at|created_at|started_at|ended_at|scheduled|measurement|outcome|learning|description|message|screenshot|reviewer|design_hash|traffic_allocation|name$|planned_test|version)/;

/** Return the diffs since a moment that are about the design, newest first. */
export function designDiffs(rows: readonly Row[], since: string | null): Record<string, unknown>[] {
  return rows
    .filter(({ created_at }) => since === null || created_at > since)
    .map(({ diff }) => {
      const fields = typeof diff === "object" && diff !== null ? Object.entries(diff) : [];
      return Object.fromEntries(fields.filter(([field]) => !NOT_DESIGN.test(field)));
    })
    .filter((diff) => Object.keys(diff).length > 0);
}
