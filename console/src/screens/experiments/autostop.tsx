import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { type Open, useChanging } from "./open.ts";

type Rules = Schemas["AutoStopOverride"];

const MODES: Record<Rules["mode"], string> = {
  inherit: "As the shop has it",
  off: "Never: a person ends it",
  sequential_significance: "As soon as a variation is clearly better",
  group_sequential: "At one of the planned looks",
  fixed_horizon_planned_end: "At the planned end",
};

/** When the experiment pauses by itself. */
export function AutoStop({ open }: { open: Open }) {
  const { experiment, reload } = open;
  const stored = experiment.auto_stop_override;
  const doing = useDoing();
  const changing = useChanging(open);
  const { draft, set, isDirty, contested, reset } = useEdit({
    mode: stored.mode,
    minutes: stored.min_runtime_minutes ?? null,
    harm: stored.action_on_harm ?? "pause",
  });
  const hasRules = draft.mode !== "inherit" && draft.mode !== "off";
  const save = async () => {
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    const rules: Rules = {
      mode: draft.mode,
      ...(hasRules && draft.minutes !== null && { min_runtime_minutes: draft.minutes }),
      ...(hasRules && { action_on_harm: draft.harm }),
    };
    await changing.make((confirmed) =>
      data(api.PATCH("/experiments/{experiment_id}", { params, body: { auto_stop_override: rules, ...confirmed } })),
    );
    reset();
  };
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={isDirty}>
        <SelectField
          path="auto_stop_override.mode"
          label="It is paused"
          required
          value={draft.mode}
          onChange={(mode) => set({ mode: mode as Rules["mode"] })}
          options={Object.entries(MODES).map(([value, label]) => ({ value, label }))}
        />
        {hasRules && (
          <>
            <NumberField
              path="auto_stop_override.min_runtime_minutes"
              label="Not before"
              unit="minutes"
              min={0}
              value={draft.minutes}
              onChange={(minutes) => set({ minutes })}
            />
            <SelectField
              path="auto_stop_override.action_on_harm"
              label="Where a guardrail is harmed"
              required
              value={draft.harm}
              onChange={(harm) => set({ harm: harm === "continue" ? "continue" : "pause" })}
              options={[
                { value: "pause", label: "Pause the test" },
                { value: "continue", label: "Go on, and call no winner" },
              ]}
            />
          </>
        )}
        <Conflict doing={doing} contested={contested} reload={reload} />
      </Form>
      {changing.dialog}
    </>
  );
}
