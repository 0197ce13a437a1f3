import { signal } from "@preact/signals";
import { useRoute } from "preact-iso";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { asProblem, type Problem } from "../../api/problems.ts";
import { type Confirmed, type LiveImpact, useLiveImpact } from "../../kit/live_impact.tsx";
import { notify } from "../../kit/toast.tsx";

export type Experiment = Schemas["Experiment"];
export type Variation = Schemas["Variation"];
export type Goal = Schemas["Goal"];
export type Checklist = Schemas["Checklist"];

/** The experiment on the screen, with its checklist. */
export interface Open {
  experiment: Experiment;
  checklist: Checklist;
  /** Read both again: after a change, or to see another person's. */
  reload: () => Promise<void>;
}

type Read = Pick<Open, "experiment" | "checklist">;

/** What was shown last: the tabs of one experiment are screens of their own, and need not wait for it again. */
let shown: Read | null = null;

/** Changes that are saved and not yet on the shop, by experiment: what the service says about them. */
export const unpublished = signal<ReadonlyMap<string, string>>(new Map());

/** Read the experiment that the address names, by id or public id. */
export function useOpen(): Loaded<Open> {
  const { experiment_id: name = "" } = useRoute().params;
  const loaded = useLoaded(() => read(name), [name]);
  if (loaded.data) shown = loaded.data;
  const kept = shown && [shown.experiment.id, shown.experiment.public_id].includes(name) ? shown : null;
  const current = loaded.data ?? kept;
  return { ...loaded, data: current && { ...current, reload: loaded.reload }, replace: () => undefined };
}

async function read(name: string): Promise<Read> {
  const experiment = await data(api.GET("/experiments/{experiment_id}", { params: { path: { experiment_id: name } } }));
  const params = { path: { experiment_id: experiment.id } };
  const checklist = await data(api.GET("/experiments/{experiment_id}/checklist", { params }));
  return { experiment, checklist };
}

export interface Changing {
  /** Make a change and read the experiment again. Asks first where it reaches visitors. Rejects with a Problem. */
  make: <T>(change: (confirmed: Confirmed) => Promise<T>, said?: string) => Promise<T | undefined>;
  /** The question about visitors; render it outside of a form. */
  dialog: LiveImpact["dialog"];
}

/** Make changes of the experiment on the screen. One that is saved and not yet published is a success with a note. */
export function useChanging({ experiment, reload }: Open): Changing {
  const live = useLiveImpact();
  return {
    dialog: live.dialog,
    make: async (change, said = "Saved") => {
      const answer = await committed(experiment.id, () => live.run(change));
      notify(said);
      await reload();
      return answer;
    },
  };
}

/** Run a change; where it is stored and could not be published, note that, and resolve to what the answer has. */
export async function committed<T>(experimentId: string, change: () => Promise<T>): Promise<T | undefined> {
  try {
    const answer = await change();
    const warning = (answer as { publication_warning?: { message: string } } | undefined)?.publication_warning;
    note(experimentId, warning?.message ?? null);
    return answer;
  } catch (thrown) {
    const problem = asProblem(thrown);
    if (!isSaved(problem)) throw problem;
    note(experimentId, problem.message);
    return undefined;
  }
}

/** Return whether the answer says that the change is stored, and only its publication failed. */
export function isSaved(problem: Problem): boolean {
  return problem.status === 502 && problem.envelope.persisted === true;
}

function note(experimentId: string, message: string | null): void {
  const next = new Map(unpublished.peek());
  if (message) next.set(experimentId, message);
  else next.delete(experimentId);
  unpublished.value = next;
}
