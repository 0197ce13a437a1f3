import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { NumberField } from "../../kit/number.tsx";
import { cleanedTargeting, type Library, TargetingField } from "../../kit/rules/targeting.tsx";
import { WeekdaysField } from "../../kit/rules/weekdays.tsx";
import { saved } from "../../kit/saved.ts";
import { inPercent } from "../../kit/values.tsx";
import { type Flag, named } from "./addresses.ts";

interface Props {
  flag: Flag;
  of: Loaded<Flag>;
  onDone: () => void;
}

/** Name, rollout and days of a flag. */
export function EditFlag({ flag, of, onDone }: Props) {
  const { name, description, rollout_percentage, delivery_type, weekday_schedule } = flag;
  const edit = useEdit({ name, description, rollout_percentage, delivery_type, weekday_schedule });
  const doing = useDoing();
  const impact = useLiveImpact();
  const { draft: value, on: set } = edit;
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { ...named(flag), header: ifMatch(flag) };
      const body = { ...edit.changed, ...confirmed };
      of.replace(saved(await data(api.PATCH("/flags/{flag_id}", { params, body }))));
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
        <NumberField
          path="rollout_percentage"
          label="For how many visitors"
          required
          unit="%"
          min={0}
          max={100}
          hint="Visitors who have it keep it when you raise the share."
          value={value.rollout_percentage === null ? null : inPercent(value.rollout_percentage)}
          onChange={(typed) => set("rollout_percentage")(typed === null ? (null as unknown as number) : typed / 100)}
        />
        <SelectField
          path="delivery_type"
          label="Where it is read"
          required
          value={value.delivery_type}
          onChange={(typed) => set("delivery_type")(typed === "api" ? "api" : "visual")}
          options={[
            { value: "visual", label: "On pages of the shop, and on servers" },
            { value: "api", label: "On servers only" },
          ]}
        />
        <WeekdaysField path="weekday_schedule" value={value.weekday_schedule} onChange={set("weekday_schedule")} />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}

/** Where and to whom a flag is delivered. */
export function EditTargeting({ flag, of, library, onDone }: Props & { library: Library }) {
  const edit = useEdit({ targeting: flag.targeting });
  const doing = useDoing();
  const impact = useLiveImpact();
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { ...named(flag), header: ifMatch(flag) };
      const body = { targeting: cleanedTargeting(edit.draft.targeting), ...confirmed };
      of.replace(saved(await data(api.PATCH("/flags/{flag_id}", { params, body }))));
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
