import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, data, ifMatch } from "../../../api/client.ts";
import { useDoing, useLoaded } from "../../../api/loading.ts";
import { CheckField } from "../../../kit/choices.tsx";
import { Conflict, differing } from "../../../kit/edit.tsx";
import { Form } from "../../../kit/form.tsx";
import { NumberField } from "../../../kit/number.tsx";
import { TargetingWords, useLibrary } from "../../../kit/rules/targeting.tsx";
import { Shown } from "../../../kit/state.tsx";
import { notify } from "../../../kit/toast.tsx";
import { inPercent } from "../../../kit/values.tsx";
import { may } from "../../../session/session.ts";
import { type Circumstances, EffectChoice } from "../effect.tsx";
import { addressOf } from "../frame.tsx";
import { committed, type Open } from "../open.ts";
import { run } from "../run.ts";
import { rateOf, shopTraffic, type Traffic } from "../traffic.ts";
import { Summary } from "../variations.tsx";
import { STEP_OF_ITEM } from "../verbs.ts";
import { split } from "../words.ts";

const UNMEASURED = "Nothing is measured yet: enter what you know, or leave it empty.";

/** The last step: how many visitors take part, how small a change is to be found, and the launch. */
export function PlanStep({ open }: { open: Open }) {
  const traffic = useLoaded(shopTraffic, []);
  return <Shown of={traffic}>{(read) => <Plan open={open} traffic={read} />}</Shown>;
}

function Plan({ open, traffic }: { open: Open; traffic: Traffic }) {
  const { experiment, checklist, reload } = open;
  const { route } = useLocation();
  const goal = experiment.goals.find(({ is_primary, archived_at }) => is_primary && !archived_at);
  const measured = rateOf(goal, traffic);
  const [proposed] = useState(() => ({
    share: inPercent(experiment.traffic_allocation),
    rate: measured === null ? null : Number((measured * 100).toFixed(2)),
    daily: traffic.daily === null ? null : Math.round(traffic.daily),
    mde: experiment.planned_test?.mde ?? 0.1,
  }));
  const [share, setShare] = useState<number | null>(proposed.share);
  const [rate, setRate] = useState(proposed.rate);
  const [daily, setDaily] = useState(proposed.daily);
  const [mde, setMde] = useState(proposed.mde);
  const isDirty = Object.keys(differing(proposed, { share, rate, daily, mde })).length > 0;
  const [isPlanned, setPlanned] = useState(true);
  const doing = useDoing();
  const library = useLibrary();
  const changed = experiment.variations.filter(({ is_control, archived_at }) => !is_control && !archived_at);
  const of: Circumstances = {
    baseline_rate: rate ? rate / 100 : null,
    daily_visitors: daily && share ? (daily * share) / 100 : null,
    engine: "sequential",
    treatments: Math.max(1, changed.length),
  };
  const canPlan = goal !== undefined && goal.aggregation !== "ratio" && of.baseline_rate !== null;
  const canLaunch = checklist.allowed_actions.includes("launch") && may("experiments:launch");

  const save = async () => {
    const path = { experiment_id: experiment.id };
    // Nothing typed is nobody's wish: the API says so at the field.
    const traffic_allocation = share === null ? (null as unknown as number) : share / 100;
    let newest = experiment;
    if (traffic_allocation !== experiment.traffic_allocation) {
      const params = { path, header: ifMatch(newest) };
      newest = await data(api.PATCH("/experiments/{experiment_id}", { params, body: { traffic_allocation } }));
    }
    if (isPlanned && canPlan && of.baseline_rate !== null) {
      const body = { goal_id: goal.id, mde, baseline_rate: of.baseline_rate, engine: of.engine };
      newest = await data(
        api.PUT("/experiments/{experiment_id}/plan", { params: { path, header: ifMatch(newest) }, body }),
      );
    }
    return newest;
  };
  const finish = (action: "launch" | null) => async () => {
    try {
      const newest = await save();
      if (action) await committed(experiment.id, () => run(action, newest));
    } finally {
      // What was saved before a failure is part of the next attempt.
      await reload();
    }
    notify(action ? "Launched. Your visitors are being counted." : "The draft is saved.");
    route(addressOf(experiment.id, action && may("analytics:read") ? "results" : ""));
  };
  const failed = checklist.items.filter(({ status, key }) => status !== "pass" && key !== "plan");
  return (
    <Form
      doing={doing}
      submit={canLaunch ? "Launch" : "Save the draft"}
      onSubmit={finish(canLaunch ? "launch" : null)}
      isDirty={isDirty && !doing.isBusy}
      others={
        canLaunch && (
          <button type="button" onClick={() => void doing.run(finish(null))}>
            Keep as a draft
          </button>
        )
      }
    >
      <NumberField
        path="traffic_allocation"
        label="Visitors who take part"
        required
        unit="%"
        min={1}
        max={100}
        value={share}
        onChange={setShare}
        hint={`They are split ${split(experiment.variations)}. All others see the page as it is.`}
      />
      {goal && (
        <>
          <div class="weights wide">
            <NumberField
              path="baseline_rate"
              label="Present rate"
              unit="%"
              min={0}
              max={100}
              value={rate}
              onChange={setRate}
              hint={`Of “${goal.name}”. ${measured === null ? UNMEASURED : "Measured in your shop."}`}
            />
            <NumberField
              path="daily_visitors"
              label="Visitors a day"
              min={0}
              value={daily}
              onChange={setDaily}
              hint={traffic.daily === null ? UNMEASURED : "Measured in your shop."}
            />
          </div>
          <EffectChoice value={mde} onChange={setMde} of={of} />
          {canPlan && (
            <CheckField
              path="plan"
              label="Keep this as the plan of the test"
              value={isPlanned}
              onChange={setPlanned}
              hint="Results then show how far the test is, and when it has seen enough."
            />
          )}
        </>
      )}
      <section class="card">
        <h2>What goes live</h2>
        <TargetingWords value={experiment.targeting} library={library.data} />
        <dl class="facts">
          <dt>Visitors</dt>
          <dd>
            {share ?? 0} %, split {split(experiment.variations)}
          </dd>
          <dt>Decided by</dt>
          <dd>{goal?.name ?? "no goal"}</dd>
          {changed.map((variation) => (
            <Fragment key={variation.id}>
              <dt>{variation.name}</dt>
              <dd>
                <Summary of={variation} isRedirect={experiment.delivery_type === "redirect"} />
              </dd>
            </Fragment>
          ))}
        </dl>
        {failed.map(({ key, label, status, message }) => (
          <p key={key} class={`note ${status === "fail" ? "bad" : "warn"}`}>
            {label}: {message}. {STEP_OF_ITEM[key]?.do}
          </p>
        ))}
      </section>
      <Conflict doing={doing} reload={reload} />
    </Form>
  );
}
