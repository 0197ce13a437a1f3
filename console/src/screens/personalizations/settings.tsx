import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { ManyField, SelectField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { NumberField } from "../../kit/number.tsx";
import { cleanedTargeting, type Library, TargetingField } from "../../kit/rules/targeting.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { inPercent } from "../../kit/values.tsx";

export type Personalization = Schemas["Personalization"];
export type Delivery = Personalization["delivery_type"];

export const DELIVERIES = [
  { value: "visual", label: "Changes of pages" },
  { value: "api", label: "A value for your code" },
  { value: "recommendation", label: "Recommendations" },
] as const;

export interface Props {
  item: Personalization;
  of: Loaded<Personalization>;
  onDone: () => void;
}

/** Name, place, share and goals. */
export function EditSettings({ item, of, onDone }: Props) {
  const { name, description, surface, rollout_percentage, delivery_type } = item;
  const goal_ids = item.personalization_goals.map(({ goal_id }) => goal_id);
  const primary = item.personalization_goals.find(({ is_primary }) => is_primary)?.goal_id ?? "";
  const read = { name, description, surface, rollout_percentage, delivery_type, goal_ids, primary_goal_id: primary };
  const edit = useEdit(read);
  const doing = useDoing();
  const impact = useLiveImpact();
  const goals = useLoaded(() => data(api.GET("/goals", { params: { query: { limit: 100, sort: "name" } } })), []);
  const { draft: value, on: set } = edit;
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { path: { personalization_id: item.id }, header: ifMatch(item) };
      const body = { ...edit.changed, ...confirmed };
      of.replace(saved(await data(api.PATCH("/personalizations/{personalization_id}", { params, body }))));
      edit.reset();
      onDone();
    });
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        <TextField path="name" label="Name" required value={value.name} onChange={set("name")} />
        <TextField
          path="description"
          label="What it is for"
          rows={2}
          value={value.description ?? ""}
          onChange={(typed) => set("description")(typed || null)}
        />
        <SelectField
          path="delivery_type"
          label="What it delivers"
          required
          value={value.delivery_type}
          options={DELIVERIES}
          onChange={(typed) => set("delivery_type")(typed as Delivery)}
        />
        <TextField path="surface" label="Place" required value={value.surface} onChange={set("surface")} />
        <NumberField
          path="rollout_percentage"
          label="For how many of these visitors"
          required
          unit="%"
          min={0}
          max={100}
          value={value.rollout_percentage === null ? null : inPercent(value.rollout_percentage)}
          onChange={(typed) => set("rollout_percentage")(typed === null ? (null as unknown as number) : typed / 100)}
        />
        <Shown of={goals}>
          {({ data: known }) => (
            <>
              <ManyField
                path="goal_ids"
                label="Goals"
                hint="What its results measure: copies of the shop's goals."
                value={value.goal_ids}
                options={known.map(({ id, name: label }) => ({ value: id, label }))}
                onChange={set("goal_ids")}
              />
              {value.goal_ids.length > 1 && (
                <SelectField
                  path="primary_goal_id"
                  label="The goal that decides"
                  required
                  value={value.primary_goal_id}
                  options={known
                    .filter(({ id }) => value.goal_ids.includes(id))
                    .map(({ id, name: label }) => ({ value: id, label }))}
                  onChange={set("primary_goal_id")}
                />
              )}
            </>
          )}
        </Shown>
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}

/** Where and to whom. */
export function EditTargeting({ item, of, onDone, library }: Props & { library: Library }) {
  const edit = useEdit({ targeting: item.targeting });
  const doing = useDoing();
  const impact = useLiveImpact();
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { path: { personalization_id: item.id }, header: ifMatch(item) };
      const body = { targeting: cleanedTargeting(edit.draft.targeting), ...confirmed };
      of.replace(saved(await data(api.PATCH("/personalizations/{personalization_id}", { params, body }))));
      edit.reset();
      onDone();
    });
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        <TargetingField
          path="targeting"
          value={edit.draft.targeting}
          onChange={edit.on("targeting")}
          library={library}
        />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}
