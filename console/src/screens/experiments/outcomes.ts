import { useEffect, useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { may } from "../../session/session.ts";

type Experiment = Schemas["Experiment"];

const MOST = 100;

/** Read what the completed experiments among these came to: it is stored with their completion, newest first. */
export function useOutcomes(experiments: readonly Experiment[]): ReadonlyMap<string, string> {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, string>>(new Map());
  const hasCompleted = experiments.some(({ status }) => status === "completed");
  useEffect(() => {
    if (!hasCompleted || !may("audit:read")) return;
    let isCurrent = true;
    const query = { action: "experiment.complete", limit: MOST };
    data(api.GET("/audit-logs", { params: { query } })).then(
      (page) => isCurrent && setOutcomes(outcomesIn(page.data)),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [hasCompleted]);
  return outcomes;
}

/** Return the newest outcome of each experiment in these rows, which are newest first. */
export function outcomesIn(rows: readonly { entity_id: string; diff: unknown }[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { entity_id, diff } of rows) {
    const outcome = after(diff, "outcome");
    if (typeof outcome === "string" && !found.has(entity_id)) found.set(entity_id, outcome);
  }
  return found;
}

/** Return what a field became, from a diff `{field: [before, after]}`. */
export function after(diff: unknown, field: string): unknown {
  const pair = typeof diff === "object" && diff !== null ? (diff as Record<string, unknown>)[field] : undefined;
  return Array.isArray(pair) ? pair[1] : undefined;
}
