import { useRoute } from "preact-iso";
import { may } from "../../session/session.ts";
import { addressOf } from "./frame.tsx";
import { stepAddress } from "./new/steps.tsx";
import type { Open } from "./open.ts";
import { STEP_OF_ITEM } from "./verbs.ts";

const SIGNS = { pass: "✓", warn: "!", fail: "✗" } as const;
const WORDS = { pass: "done", warn: "to consider", fail: "must be done" } as const;
const ENDED = new Set(["completed", "running"]);

/** What is left to do before the launch; each item leads to where it is done. */
export function CheckList({ open: { experiment, checklist } }: { open: Open }) {
  const { experiment_id: name = experiment.id } = useRoute().params;
  const isDone = ENDED.has(experiment.status) || experiment.archived_at !== null;
  const left = checklist.items.filter(({ status }) => status !== "pass");
  if (isDone) return null;
  if (!left.length && !checklist.allowed_actions.includes("launch")) return null;
  if (!left.length) return <p class="note good">Everything is ready for the launch.</p>;
  const hasGoals = experiment.goals.some(({ archived_at }) => !archived_at);
  const isInSteps = experiment.status === "draft" && !experiment.started_at && !hasGoals && may("experiments:write");
  const failed = left.filter(({ status }) => status === "fail").length;
  return (
    <details class="checklist" open>
      <summary>
        <strong>{failed ? `${failed} to do before the launch` : "Ready for the launch"}</strong>
        <span class="soft"> {left.length - failed > 0 && `${left.length - failed} to consider`}</span>
      </summary>
      <ul>
        {left.map(({ key, label, status, message }) => (
          <li key={key} class={status}>
            <span aria-hidden="true">{SIGNS[status]}</span>
            <span>
              <a href={addressOf(name, STEP_OF_ITEM[key]?.tab ?? "")}>{label}</a>: {message}.{" "}
              <span class="soft">{STEP_OF_ITEM[key]?.do}</span> <span class="unseen">({WORDS[status]})</span>
            </span>
          </li>
        ))}
      </ul>
      {isInSteps && (
        <p>
          <a class="button" href={stepAddress(experiment.id, "goals")}>
            Go on in steps: goals
          </a>
        </p>
      )}
    </details>
  );
}
