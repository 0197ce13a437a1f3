import { useLocation } from "preact-iso";
import { api, data, ifMatch } from "../../../api/client.ts";
import { useDoing } from "../../../api/loading.ts";
import { Conflict, useEdit } from "../../../kit/edit.tsx";
import { Form, TextField } from "../../../kit/form.tsx";
import type { Open } from "../open.ts";
import { stepAddress } from "./steps.tsx";

/** Name and hypothesis of a draft that is there already. */
export function HypothesisStep({ open: { experiment, reload } }: { open: Open }) {
  const { route } = useLocation();
  const doing = useDoing();
  const { draft, set, changed, isDirty, contested } = useEdit({
    name: experiment.name,
    description: experiment.description ?? "",
  });
  const save = async () => {
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    if (isDirty) await data(api.PATCH("/experiments/{experiment_id}", { params, body: changed }));
    await reload();
    route(stepAddress(experiment.id, "change"));
  };
  return (
    <Form doing={doing} submit="Next: page and change" onSubmit={save} isDirty={isDirty && !doing.isBusy}>
      <TextField path="name" label="Name" required value={draft.name} onChange={(name) => set({ name })} />
      <TextField
        path="description"
        label="Hypothesis"
        rows={3}
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      <Conflict doing={doing} contested={contested} reload={reload} />
    </Form>
  );
}
