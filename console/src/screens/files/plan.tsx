import type { Schemas } from "../../api/client.ts";
import type { Doing } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Section } from "../../kit/page.tsx";
import { Patch } from "../../kit/patch.tsx";
import { may } from "../../session/session.ts";

interface Props {
  plan: Schemas["ExperimentPlan"];
  doing: Doing;
  onApply: () => Promise<void>;
  /** Open a file with a problem, where it can be edited. */
  onOpen?: (path: string) => void;
  verb?: string;
}

const WORDS = { create: "new", update: "changed", delete: "deleted" };

/** What an application of the files would do, problem by problem and file by file. */
export function Plan({ plan, doing, onApply, onOpen, verb = "Apply the plan" }: Props) {
  const canApply = plan.ok && plan.planSha256 !== null && plan.operations.length > 0 && may("experiments:write");
  return (
    <Section
      title="The plan"
      lead={plan.ok ? "This is what would change." : "It cannot be applied as it is."}
      actions={
        canApply && (
          <button type="button" class="primary" disabled={doing.isBusy} onClick={() => void doing.run(onApply)}>
            {verb}
          </button>
        )
      }
    >
      <Problems title="To mend first" problems={plan.errors} tone="bad" onOpen={onOpen} />
      <Problems title="Good to know" problems={plan.warnings} tone="warn" onOpen={onOpen} />
      {plan.live_impact.length > 0 && (
        <p class="note warn">
          Visitors would notice: {plan.live_impact.map(({ name }) => name).join(", ")}. You are asked before it is
          applied.
        </p>
      )}
      {plan.ok && plan.operations.length === 0 && <p>Nothing would change.</p>}
      {plan.operations.map(({ op, path, diff }) => (
        <div key={path} class="operation">
          <p>
            <Badge>{WORDS[op]}</Badge> <code>{path}</code>
          </p>
          <Patch text={diff} label={`Changes of ${path}`} />
        </div>
      ))}
    </Section>
  );
}

interface ProblemsProps {
  title: string;
  problems: readonly Schemas["FileProblem"][];
  tone: "bad" | "warn";
  onOpen: ((path: string) => void) | undefined;
}

function Problems({ title, problems, tone, onOpen }: ProblemsProps) {
  if (!problems.length) return null;
  return (
    <div class={`note ${tone}`}>
      <h3>{title}</h3>
      <ul>
        {problems.map(({ path, line, column, message }) => (
          <li key={`${path} ${line} ${column} ${message}`}>
            {onOpen ? (
              <button type="button" class="link" onClick={() => onOpen(path)}>
                {placeOf(path, line)}
              </button>
            ) : (
              <code>{placeOf(path, line)}</code>
            )}
            : {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function placeOf(path: string, line: number | null): string {
  return line === null ? path : `${path}, line ${line}`;
}
