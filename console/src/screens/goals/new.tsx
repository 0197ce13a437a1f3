import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { bodyOf } from "./body.ts";
import { GoalFields, type TypedGoal } from "./fields.tsx";

const EMPTY: TypedGoal = {
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

/** A new goal of the shop. */
export default function NewGoal() {
  const [typed, setTyped] = useState(EMPTY);
  const doing = useDoing();
  const { route } = useLocation();
  const create = async () => {
    const { name, type } = typed;
    const goal = saved(await data(api.POST("/goals", { body: { ...bodyOf(typed), name, type } })), "Goal made");
    route(at("/goals", goal.id));
  };
  return (
    <Page title="New goal" above={<a href={at("/goals")}>Goals</a>}>
      <Form doing={doing} submit="Make the goal" onSubmit={create} isDirty={typed !== EMPTY}>
        <GoalFields value={typed} set={(name) => (value) => setTyped((before) => ({ ...before, [name]: value }))} />
      </Form>
    </Page>
  );
}
