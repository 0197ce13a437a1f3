import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { asProblem } from "../../api/problems.ts";
import { Confirm } from "../../kit/dialog.tsx";
import { notify } from "../../kit/toast.tsx";
import { may } from "../../session/session.ts";
import { committed } from "./open.ts";

type Experiment = Schemas["Experiment"];

interface Bulk {
  verb: string;
  done: string;
  scope: string;
  /** What happens, and to whom. */
  says: string;
  fits: (experiment: Experiment) => boolean;
  run: (id: string) => Promise<unknown>;
}

const path = (experiment_id: string) => ({ params: { path: { experiment_id } } });

export const BULK: readonly Bulk[] = [
  {
    verb: "Pause",
    done: "paused",
    scope: "experiments:launch",
    says: "Visitors see the original from then on. Nothing that was counted is lost.",
    fits: ({ status, archived_at }) => status === "running" && !archived_at,
    run: (id) => data(api.POST("/experiments/{experiment_id}/pause", path(id))),
  },
  {
    verb: "Resume",
    done: "resumed",
    scope: "experiments:launch",
    says: "Visitors see their variation again.",
    fits: ({ status, archived_at }) => status === "paused" && !archived_at,
    run: (id) => data(api.POST("/experiments/{experiment_id}/resume", path(id))),
  },
  {
    verb: "Duplicate",
    done: "duplicated",
    scope: "experiments:write",
    says: "Each copy is a draft with the same variations and goals, and without results.",
    fits: () => true,
    run: (id) => data(api.POST("/experiments/{experiment_id}/duplicate", { ...path(id), body: {} })),
  },
  {
    verb: "Archive",
    done: "archived",
    scope: "experiments:write",
    says: "They leave the list and can be brought back. A planned start is dropped.",
    fits: ({ status, archived_at }) => status !== "running" && !archived_at,
    run: (id) => data(api.POST("/experiments/{experiment_id}/archive", path(id))),
  },
  {
    verb: "Bring back",
    done: "brought back",
    scope: "experiments:write",
    says: "They are in the list again, with the status that they had.",
    fits: ({ archived_at }) => archived_at !== null,
    run: (id) => data(api.POST("/experiments/{experiment_id}/unarchive", path(id))),
  },
];

interface BulkProps {
  chosen: readonly Experiment[];
  onDone: () => Promise<void>;
  onClear: () => void;
  /** Null once all that are shown are chosen. */
  onAll: (() => void) | null;
}

/** What can be done with the experiments that are ticked. */
export function BulkBar({ chosen, onDone, onClear, onAll }: BulkProps) {
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const offered = BULK.filter(({ scope, fits }) => may(scope) && chosen.some(fits));
  const fitting = bulk ? chosen.filter(bulk.fits) : [];
  const run = async () => {
    if (!bulk) return;
    const failed = await each(fitting, bulk.run);
    const succeeded = fitting.length - failed.length;
    if (succeeded) notify(`${succeeded} ${bulk.done}.`);
    for (const sentence of failed) notify(sentence, "bad");
    onClear();
    await onDone();
  };
  return (
    <div class="bulk" role="status">
      <strong>{chosen.length} chosen</strong>
      {onAll && (
        <button type="button" class="link" onClick={onAll}>
          Choose all that are shown
        </button>
      )}
      <span class="spring" />
      {offered.map((each) => (
        <button key={each.verb} type="button" onClick={() => setBulk(each)}>
          {each.verb} {chosen.filter(each.fits).length}
        </button>
      ))}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {bulk && (
        <Confirm
          title={`${bulk.verb} ${fitting.length === 1 ? "one experiment" : `${fitting.length} experiments`}`}
          verb={bulk.verb}
          onConfirm={run}
          onClose={() => setBulk(null)}
        >
          <p>{bulk.says}</p>
          <ul class="bullets">
            {fitting.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </div>
  );
}

/** Run a change for each, one after the other, and return the sentences of those that failed. */
async function each(experiments: readonly Experiment[], run: Bulk["run"]): Promise<string[]> {
  const failed: string[] = [];
  for (const { id, name } of experiments) {
    try {
      await committed(id, () => run(id));
    } catch (thrown) {
      failed.push(`${name}: ${asProblem(thrown).message}`);
    }
  }
  return failed;
}
