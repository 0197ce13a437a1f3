import { Badge } from "../../kit/badge.tsx";
import { Menu } from "../../kit/menu.tsx";
import { countedInWords, measuredInWords } from "../goals/words.ts";
import type { Goal } from "./open.ts";

const ROLES: Record<Goal["role"], string> = {
  primary: "Decides",
  secondary: "Measured, too",
  guardrail: "Guardrail: must not get worse",
};

export interface GoalVerbs {
  edit: () => void;
  decide: () => void;
  guard: (isGuardrail: boolean) => void;
  move: (step: -1 | 1) => void;
  archive: () => void;
  unarchive: () => void;
  remove: (() => void) | null;
}

interface RowProps {
  goal: Goal;
  isFirst: boolean;
  isLast: boolean;
  /** Null where the person may only look. */
  verbs: GoalVerbs | null;
}

/** One goal of the experiment, and what can be done with it. */
export function GoalRow({ goal, isFirst, isLast, verbs }: RowProps) {
  const { name, role, archived_at, is_primary } = goal;
  return (
    <>
      <div class="title">
        <h3>{name}</h3>
        <Badge tone={is_primary && !archived_at ? "good" : "plain"}>{archived_at ? "Archived" : ROLES[role]}</Badge>
        <span class="spring" />
        {verbs && (
          <div class="actions">
            {!archived_at && (
              <>
                <button
                  type="button"
                  class="quiet"
                  disabled={isFirst}
                  aria-label={`Move ${name} up`}
                  onClick={() => verbs.move(-1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  class="quiet"
                  disabled={isLast}
                  aria-label={`Move ${name} down`}
                  onClick={() => verbs.move(1)}
                >
                  ↓
                </button>
                <button type="button" aria-label={`Edit ${name}`} onClick={verbs.edit}>
                  Edit
                </button>
              </>
            )}
            <Menu label="⋯" name={`More for ${name}`}>
              {!archived_at && !is_primary && (
                <button type="button" onClick={verbs.decide}>
                  Let it decide
                </button>
              )}
              {!archived_at && !is_primary && (
                <button type="button" onClick={() => verbs.guard(role !== "guardrail")}>
                  {role === "guardrail" ? "No guardrail any more" : "Make it a guardrail"}
                </button>
              )}
              {archived_at ? (
                <button type="button" onClick={verbs.unarchive}>
                  Bring back
                </button>
              ) : (
                <button type="button" onClick={verbs.archive}>
                  Archive
                </button>
              )}
              {verbs.remove && (
                <button type="button" onClick={verbs.remove}>
                  Delete
                </button>
              )}
            </Menu>
          </div>
        )}
      </div>
      <p class="soft">
        Counts {countedInWords(goal)}; {measuredInWords(goal)}. Within {goal.attribution_window_days} days.
      </p>
    </>
  );
}
