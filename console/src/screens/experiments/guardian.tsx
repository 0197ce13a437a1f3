import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { shop } from "../../session/session.ts";
import { type Open, useChanging } from "./open.ts";

type Rules = Schemas["GuardianOverride"];

const SWITCHES = [
  ["enabled", "It watches this experiment"],
  ["pause_on_broken", "It pauses a test that is broken"],
  ["pause_on_harm", "It pauses a test that does harm"],
  ["alert_on_data_quality", "It reports doubtful data"],
] as const;

type Switch = "shop" | "yes" | "no";
type Typed = Record<(typeof SWITCHES)[number][0], Switch> & { loss: number | null };

const CHOICES = [
  { value: "shop", label: "As the shop has it" },
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
];

function switchOf(value: boolean | null | undefined): Switch {
  if (value === null || value === undefined) return "shop";
  return value ? "yes" : "no";
}

/** Settings of this experiment; all others are those of the shop. */
export function GuardianRules({ open }: { open: Open }) {
  const { experiment, reload } = open;
  const stored = experiment.guardian_override;
  const doing = useDoing();
  const changing = useChanging(open);
  const { draft, set, changed, isDirty, contested, reset } = useEdit<Typed>({
    enabled: switchOf(stored.enabled),
    pause_on_broken: switchOf(stored.pause_on_broken),
    pause_on_harm: switchOf(stored.pause_on_harm),
    alert_on_data_quality: switchOf(stored.alert_on_data_quality),
    loss: stored.revenue_loss?.threshold_amount ?? null,
  });
  const save = async () => {
    const { loss, ...switches } = changed;
    const values = Object.entries(switches).map(([name, value]) => [name, value === "shop" ? null : value === "yes"]);
    const rules: Rules = {
      ...Object.fromEntries(values),
      ...(loss !== undefined && { revenue_loss: loss === null ? null : { threshold_amount: loss } }),
    };
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    await changing.make((confirmed) =>
      data(api.PATCH("/experiments/{experiment_id}", { params, body: { guardian_override: rules, ...confirmed } })),
    );
    reset();
  };
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={isDirty}>
        {SWITCHES.map(([name, label]) => (
          <SelectField
            key={name}
            path={`guardian_override.${name}`}
            label={label}
            required
            value={draft[name]}
            onChange={(value) => set({ [name]: value as Switch })}
            options={CHOICES}
          />
        ))}
        <NumberField
          path="guardian_override.revenue_loss.threshold_amount"
          label="It pauses a test that has cost"
          unit={shop.value?.currency ?? ""}
          min={0}
          value={draft.loss}
          onChange={(loss) => set({ loss })}
        />
        <Conflict doing={doing} contested={contested} reload={reload} />
      </Form>
      {changing.dialog}
    </>
  );
}
