import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { asJson } from "../../kit/json.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { attempt } from "../../kit/toast.tsx";
import { may } from "../../session/session.ts";
import { bodyOf } from "../goals/body.ts";
import { GoalFields, type TypedGoal } from "../goals/fields.tsx";
import { ExperimentFrame } from "./frame.tsx";
import { GoalPages } from "./goal_pages.tsx";
import { GoalRow, type GoalVerbs } from "./goal_row.tsx";
import { NewGoal } from "./new_goal.tsx";
import { type Changing, type Goal, type Open, useChanging } from "./open.ts";

/** What the experiment measures; the first goal decides. */
export default function Goals() {
  return <ExperimentFrame tab="goals">{(open) => <All open={open} />}</ExperimentFrame>;
}

function All({ open }: { open: Open }) {
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<string | null>(null);
  const changing = useChanging(open);
  const { experiment } = open;
  const mayWrite = may("experiments:write");
  const goals = [...experiment.goals].sort((a, b) => Number(a.archived_at !== null) - Number(b.archived_at !== null));
  const used = goals.filter(({ archived_at }) => !archived_at);
  return (
    <>
      <Section
        title="Goals"
        lead="The first one decides. Guardrails must not get worse: a variation that harms one does not win."
        actions={
          mayWrite &&
          !isAdding && (
            <button type="button" onClick={() => setAdding(true)}>
              Add a goal
            </button>
          )
        }
      >
        {isAdding && <NewGoal open={open} onDone={() => setAdding(false)} />}
        {goals.length === 0 && !isAdding && (
          <Empty title="No goal yet">
            <p>Without a goal only visitors are counted. Add what the change should move: carts, orders, clicks.</p>
          </Empty>
        )}
        <ol class="variations">
          {goals.map((goal) => (
            <li key={goal.id} class="card">
              <GoalRow
                goal={goal}
                isFirst={used[0] === goal}
                isLast={used.at(-1) === goal}
                verbs={mayWrite ? verbsOf(open, goal, used, changing, setEdited) : null}
              />
              {edited === goal.id && <EditGoal open={open} goal={goal} onDone={() => setEdited(null)} />}
            </li>
          ))}
        </ol>
        {changing.dialog}
      </Section>
      {(experiment.goalPageRules.length > 0 || used.length > 0) && mayWrite && (
        <Section
          title="Pages on which goals count"
          lead="A goal can be limited to a set of pages. Without a set it counts wherever it happens."
        >
          <GoalPages open={open} />
        </Section>
      )}
    </>
  );
}

function verbsOf(open: Open, goal: Goal, used: Goal[], changing: Changing, edit: (id: string) => void): GoalVerbs {
  const { experiment } = open;
  const header = ifMatch(experiment);
  const params = { path: { experiment_id: experiment.id, goal_id: goal.id }, header };
  const path = "/experiments/{experiment_id}/goals/{goal_id}";
  const make = (change: () => Promise<unknown>) => void attempt(() => changing.make(change));
  return {
    edit: () => edit(goal.id),
    decide: () => make(() => data(api.PATCH(path, { params, body: { is_primary: true } }))),
    guard: (isGuardrail) =>
      make(() => data(api.PATCH(path, { params, body: { role: isGuardrail ? "guardrail" : "secondary" } }))),
    move: (step) => {
      const ids = used.map(({ id }) => id);
      const place = ids.indexOf(goal.id);
      const order = ids.toSpliced(place, 1).toSpliced(place + step, 0, goal.id);
      const archived = experiment.goals.filter(({ archived_at }) => archived_at).map(({ id }) => id);
      const body = { ids: [...order, ...archived] };
      make(() =>
        data(
          api.PUT("/experiments/{experiment_id}/goals/order", {
            params: { path: { experiment_id: experiment.id }, header },
            body,
          }),
        ),
      );
    },
    archive: () => make(() => data(api.POST(`${path}/archive`, { params }))),
    unarchive: () => make(() => data(api.POST(`${path}/unarchive`, { params }))),
    remove: experiment.started_at ? null : () => make(() => data(api.DELETE(path, { params }))),
  };
}

/** Return a goal as its form holds it. */
export function typedOf(goal: Goal): TypedGoal {
  const { name, type, event_name, selector, text_match, url_pattern, count_once, aggregation, direction } = goal;
  const { numerator, denominator, attribution_window_days, winsorize_pct } = goal;
  const what = { name, type, event_name, selector, text_match, url_pattern, count_once };
  const how = { aggregation, direction, numerator, denominator, attribution_window_days, winsorize_pct };
  return { ...what, ...how, filterText: goal.filter ? asJson(goal.filter) : "" };
}

type Typed = TypedGoal & { page_id: string };

function EditGoal({ open, goal, onDone }: { open: Open; goal: Goal; onDone: () => void }) {
  const { experiment, reload } = open;
  const doing = useDoing();
  const changing = useChanging(open);
  const edit = useEdit<Typed>({ ...typedOf(goal), page_id: goal.page_id ?? "" });
  const save = async () => {
    const { page_id, ...changed } = edit.changed;
    const body: Schemas["GoalUpdate"] = {
      ...bodyOf(changed),
      ...(page_id !== undefined && { page_id: page_id || null }),
    };
    const params = { path: { experiment_id: experiment.id, goal_id: goal.id }, header: ifMatch(experiment) };
    await changing.make(() => data(api.PATCH("/experiments/{experiment_id}/goals/{goal_id}", { params, body })));
    onDone();
  };
  return (
    <Form
      doing={doing}
      submit="Save the goal"
      onSubmit={save}
      isDirty={edit.isDirty}
      others={
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      }
    >
      <GoalFields value={edit.draft} set={(name) => (value) => edit.set({ [name]: value })} />
      {experiment.goalPageRules.length > 0 && (
        <SelectField
          path="page_id"
          label="Counts on"
          value={edit.draft.page_id}
          onChange={(page_id) => edit.set({ page_id })}
          options={[
            { value: "", label: "Every page" },
            ...experiment.goalPageRules.map(({ id, name }) => ({ value: id, label: name || "Pages without a name" })),
          ]}
        />
      )}
      {experiment.started_at && (
        <p class="note warn">The test has started: results of this goal will be counted again by its new definition.</p>
      )}
      <Conflict doing={doing} contested={edit.contested} reload={reload} />
    </Form>
  );
}
