import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Form } from "../../kit/form.tsx";
import { bodyOf } from "../goals/body.ts";
import { GoalFields, type TypedGoal } from "../goals/fields.tsx";
import { PRESETS } from "./goal_presets.ts";
import { type Open, useChanging } from "./open.ts";

const OWN = "own";
const MOST = 100;
const BLANK: TypedGoal = {
  name: "",
  type: "click",
  event_name: null,
  selector: null,
  text_match: null,
  url_pattern: null,
  count_once: true,
  aggregation: "conversion",
  direction: "increase",
  numerator: null,
  denominator: null,
  attribution_window_days: 30,
  winsorize_pct: null,
  filterText: "",
};

/** Add a goal: one of the usual, one of the shop, or an own definition. */
export function NewGoal({ open, onDone }: { open: Open; onDone: () => void }) {
  const { experiment } = open;
  const [chosen, setChosen] = useState(PRESETS[0]?.key ?? OWN);
  const [role, setRole] = useState<Schemas["Goal"]["role"]>(experiment.goals.length ? "secondary" : "primary");
  const [typed, setTyped] = useState(BLANK);
  const shopGoals = useLoaded(() => data(api.GET("/goals", { params: { query: { limit: MOST } } })), []);
  const doing = useDoing();
  const changing = useChanging(open);
  const ofShop = shopGoals.data?.data ?? [];
  const body = (): Schemas["GoalCreate"] => {
    if (ofShop.some(({ id }) => id === chosen)) return { goal_id: chosen };
    const preset = PRESETS.find(({ key }) => key === chosen);
    return preset ? preset.body : (bodyOf(typed) as Schemas["GoalCreate"]);
  };
  const add = async () => {
    const params = { path: { experiment_id: experiment.id } };
    const wanted = { ...body(), role, is_primary: role === "primary" };
    await changing.make(
      () => data(api.POST("/experiments/{experiment_id}/goals", { params, body: wanted })),
      "Goal added",
    );
    onDone();
  };
  return (
    <div class="card">
      <Form
        doing={doing}
        submit="Add the goal"
        onSubmit={add}
        isDirty={chosen === OWN && typed !== BLANK}
        others={
          <button type="button" onClick={onDone}>
            Cancel
          </button>
        }
      >
        <SelectField
          path="goal_id"
          label="Goal"
          required
          value={chosen}
          onChange={setChosen}
          options={[
            ...PRESETS.map(({ key, name, says }) => ({ value: key, label: `${name}: ${says.toLowerCase()}` })),
            ...ofShop.map(({ id, name }) => ({ value: id, label: `${name} (goal of the shop)` })),
            { value: OWN, label: "Something else …" },
          ]}
        />
        {chosen === OWN && (
          <GoalFields value={typed} set={(name) => (value) => setTyped((before) => ({ ...before, [name]: value }))} />
        )}
        <SelectField
          path="role"
          label="What it is for"
          required
          value={role}
          onChange={(value) => setRole(value as Schemas["Goal"]["role"])}
          options={[
            { value: "primary", label: "It decides" },
            { value: "secondary", label: "It is measured, too" },
            { value: "guardrail", label: "It must not get worse" },
          ]}
        />
      </Form>
    </div>
  );
}
