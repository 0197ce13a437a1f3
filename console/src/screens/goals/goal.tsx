import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form } from "../../kit/form.tsx";
import { asJson } from "../../kit/json.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Ago, percent } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { bodyOf } from "./body.ts";
import { GoalFields, type TypedGoal } from "./fields.tsx";
import { countedInWords, type Goal, measuredInWords } from "./words.ts";

/** One goal of the shop. */
export default function GoalScreen() {
  const goal_id = useRoute().params.goal_id ?? "";
  const goal = useLoaded(() => data(api.GET("/goals/{goal_id}", { params: { path: { goal_id } } })), [goal_id]);
  return <Shown of={goal}>{(read) => <Filled goal={read} of={goal} />}</Shown>;
}

function Filled({ goal, of }: { goal: Goal; of: Loaded<Goal> }) {
  const [isEditing, setEditing] = useState(false);
  const isArchived = goal.archived_at !== null;
  return (
    <Page
      title={goal.name}
      above={<a href={at("/goals")}>Goals</a>}
      beside={isArchived && <Badge>archived</Badge>}
      actions={
        may("experiments:write") && (
          <>
            {!isArchived && <EditButton isOpen={isEditing} onToggle={() => setEditing(!isEditing)} />}
            <GoalVerbs goal={goal} of={of} />
          </>
        )
      }
    >
      {isEditing ? (
        <Edit goal={goal} of={of} onDone={() => setEditing(false)} />
      ) : (
        <dl class="facts">
          <dt>Counts</dt>
          <dd>{countedInWords(goal)}</dd>
          <dt>Measured as</dt>
          <dd>
            {measuredInWords(goal)}
            {goal.aggregation === "conversion" && (goal.count_once ? "; each visitor counts once" : "")}
          </dd>
          <dt>Counts for</dt>
          <dd>{goal.attribution_window_days} days after the first sight of a variation</dd>
          {goal.winsorize_pct ? (
            <>
              <dt>Highest values</dt>
              <dd>cut for {percent(goal.winsorize_pct, 1)} of visitors</dd>
            </>
          ) : null}
          {goal.filter && (
            <>
              <dt>Filter</dt>
              <dd>
                <pre class="code">{asJson(goal.filter)}</pre>
              </dd>
            </>
          )}
          <dt>Changed</dt>
          <dd>
            <Ago at={goal.updated_at} />
          </dd>
        </dl>
      )}
    </Page>
  );
}

function GoalVerbs({ goal, of }: { goal: Goal; of: Loaded<Goal> }) {
  const { route } = useLocation();
  const params = { path: { goal_id: goal.id }, header: ifMatch(goal) };
  return (
    <Verbs
      verbs={[
        goal.archived_at === null
          ? {
              label: "Archive",
              run: async () =>
                of.replace(saved(await data(api.POST("/goals/{goal_id}/archive", { params })), "Goal is archived")),
              ask: <p>New experiments cannot take it any more. Experiments that have it keep it.</p>,
            }
          : {
              label: "Bring back",
              run: async () =>
                of.replace(saved(await data(api.POST("/goals/{goal_id}/unarchive", { params })), "Goal is back")),
            },
        {
          label: "Delete",
          tone: "harm",
          run: async () => {
            await data(api.DELETE("/goals/{goal_id}", { params }));
            saved({}, "Goal deleted");
            route(at("/goals"));
          },
          ask: <p>The goal leaves the shop. Experiments that have a copy of it keep that copy.</p>,
        },
      ]}
    />
  );
}

function typedOf(goal: Goal): TypedGoal {
  const { name, type, event_name, selector, text_match, url_pattern, count_once, aggregation, direction } = goal;
  const { numerator, denominator, attribution_window_days, winsorize_pct } = goal;
  const what = { name, type, event_name, selector, text_match, url_pattern, count_once };
  const how = { aggregation, direction, numerator, denominator, attribution_window_days, winsorize_pct };
  return { ...what, ...how, filterText: goal.filter ? asJson(goal.filter) : "" };
}

function Edit({ goal, of, onDone }: { goal: Goal; of: Loaded<Goal>; onDone: () => void }) {
  const edit = useEdit(typedOf(goal));
  const doing = useDoing();
  const save = async () => {
    const params = { path: { goal_id: goal.id }, header: ifMatch(goal) };
    of.replace(saved(await data(api.PATCH("/goals/{goal_id}", { params, body: bodyOf(edit.changed) }))));
    edit.reset();
    onDone();
  };
  return (
    <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
      <GoalFields value={edit.draft} set={edit.on} />
      <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
    </Form>
  );
}
