import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { asJson, JsonField, readJson } from "../../kit/json.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { saved } from "../../kit/saved.ts";
import { type Flag, named, readValue } from "./addresses.ts";

interface Props {
  flag: Flag;
  of: Loaded<Flag>;
  onDone: () => void;
}

/** Both values of a flag, as JSON. */
export function EditValues({ flag, of, onDone }: Props) {
  const edit = useEdit({ on: asJson(readValue(flag, "on")), off: asJson(readValue(flag, "off")) });
  const doing = useDoing();
  const impact = useLiveImpact();
  const save = async () => {
    const body = [
      { key: "off" as const, value: readJson("[0].value", edit.draft.off) },
      { key: "on" as const, value: readJson("[1].value", edit.draft.on) },
    ];
    await impact.run(async ({ confirm_live_impact }) => {
      const { path, query } = named(flag);
      const params = { path, query: { ...query, confirm_live_impact }, header: ifMatch(flag) };
      of.replace(saved(await data(api.PUT("/flags/{flag_id}/variants", { params, body }))));
      edit.reset();
      onDone();
    });
  };
  return (
    <>
      <Form doing={doing} submit="Save the values" onSubmit={save} isDirty={edit.isDirty}>
        <JsonField
          path="[1].value"
          label="On"
          required
          rows={4}
          hint={'true, 5, "a text" or {"any": "JSON"}'}
          value={edit.draft.on}
          onChange={edit.on("on")}
        />
        <JsonField path="[0].value" label="Off" required rows={4} value={edit.draft.off} onChange={edit.on("off")} />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}
