import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { Conflict } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { count, percent, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { AutoStop } from "./autostop.tsx";
import { type Circumstances, EffectChoice, useSizes } from "./effect.tsx";
import { ExperimentFrame } from "./frame.tsx";
import { type Open, useChanging } from "./open.ts";
import { rateOf, shopTraffic, type Traffic } from "./traffic.ts";

type Engine = Circumstances["engine"];

const ENGINES: Record<Engine, string> = {
  sequential: "May be read at any time",
  group_sequential: "Read at planned looks",
  fixed: "Read once, at the end",
};

/** The effect that the test must find, frozen with the visitors and days that it takes. */
export default function PlanTab() {
  const traffic = useLoaded(shopTraffic, []);
  return (
    <ExperimentFrame tab="plan">
      {(open) => (
        <>
          <Section title="The plan">
            <Present open={open} />
          </Section>
          {may("experiments:write") && open.experiment.status !== "completed" && (
            <>
              <Section
                title={open.experiment.planned_test ? "Plan anew" : "Make a plan"}
                lead="State it before the launch: a plan that is made afterwards begins a new measurement."
              >
                <Shown of={traffic}>{(read) => <PlanForm open={open} traffic={read} />}</Shown>
              </Section>
              <Section title="Ending by itself" lead="Whether the test is paused once it has shown enough.">
                <AutoStop open={open} />
              </Section>
            </>
          )}
        </>
      )}
    </ExperimentFrame>
  );
}

function Present({ open: { experiment } }: { open: Open }) {
  const plan = experiment.planned_test;
  if (!plan)
    return (
      <p class="soft">
        There is none. At the launch one is made from the shop's own traffic, if the rate of the goal is known.
      </p>
    );
  const goal = experiment.goals.find(({ id }) => id === plan.goal_id);
  return (
    <dl class="facts">
      <dt>Goal</dt>
      <dd>{goal?.name ?? "a goal that is gone"}</dd>
      <dt>Present rate</dt>
      <dd>{percent(plan.baseline_rate)}</dd>
      <dt>Smallest change</dt>
      <dd>{percent(plan.mde, 1)}</dd>
      <dt>Visitors</dt>
      <dd>
        {count(plan.required_total_visitors)} in all, {count(plan.required_sample_per_variant)} a variation
      </dd>
      <dt>Days</dt>
      <dd>{plan.recommended_days ? `${plan.recommended_days}, as whole weeks` : "not known without visitors"}</dd>
      <dt>Results</dt>
      <dd>
        {ENGINES[plan.engine ?? "fixed"]}
        {plan.looks ? ` (${plan.looks} looks)` : ""}
      </dd>
      <dt>Certainty</dt>
      <dd>
        False alarm in {percent(plan.alpha, 0)} of tests without a difference; a real change of this size is found in{" "}
        {percent(plan.power, 0)}
      </dd>
      <dt>Since</dt>
      <dd>
        <Time at={plan.epoch_started_at ?? plan.computed_at} />
      </dd>
      {plan.endpoint_reached_at && (
        <>
          <dt>Sample complete</dt>
          <dd>
            <Time at={plan.endpoint_reached_at} />
          </dd>
        </>
      )}
    </dl>
  );
}

interface Typed {
  goal_id: string;
  mde: number;
  rate: number | null;
  daily: number | null;
  engine: Engine;
  alpha: number | null;
  power: number | null;
  isAdjusted: boolean;
}

function PlanForm({ open, traffic }: { open: Open; traffic: Traffic }) {
  const { experiment } = open;
  const plan = experiment.planned_test;
  const goals = experiment.goals.filter(({ archived_at, aggregation }) => !archived_at && aggregation !== "ratio");
  const rateFor = (id: string) => {
    const rate = rateOf(
      goals.find((goal) => goal.id === id),
      traffic,
    );
    return rate === null ? null : Number((rate * 100).toFixed(2));
  };
  const first = plan?.goal_id ?? goals.find(({ is_primary }) => is_primary)?.id ?? goals[0]?.id ?? "";
  const initial: Typed = {
    goal_id: first,
    mde: plan?.mde ?? 0.1,
    rate: plan?.baseline_rate ? Number((plan.baseline_rate * 100).toFixed(3)) : rateFor(first),
    daily: traffic.daily === null ? null : Math.round(traffic.daily),
    engine: plan?.engine ?? "sequential",
    alpha: Number(((plan?.alpha ?? 0.05) * 100).toFixed(3)),
    power: Number(((plan?.power ?? 0.8) * 100).toFixed(2)),
    isAdjusted: plan?.covariate_adjustment === "cuped",
  };
  const [typed, setTyped] = useState(initial);
  const set = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }));
  const doing = useDoing();
  const changing = useChanging(open);
  const of = circumstancesOf(typed, open);
  const engines = useEngineDays(typed.mde, of);
  const save = async () => {
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    const body: Schemas["PlanInput"] = {
      goal_id: typed.goal_id,
      mde: typed.mde,
      engine: typed.engine,
      ...(of.baseline_rate !== null && { baseline_rate: of.baseline_rate }),
      ...(of.alpha !== undefined && { alpha: of.alpha }),
      ...(of.power !== undefined && { power: of.power }),
      covariate_adjustment: typed.isAdjusted ? "cuped" : "none",
    };
    await changing.make((confirmed) =>
      data(api.PUT("/experiments/{experiment_id}/plan", { params, body: { ...body, ...confirmed } })),
    );
  };
  if (!goals.length) return <p class="soft">Add a goal first: a plan is for one goal.</p>;
  return (
    <>
      <Form
        doing={doing}
        submit="Keep this plan"
        onSubmit={save}
        isDirty={JSON.stringify(typed) !== JSON.stringify(initial)}
      >
        <SelectField
          path="goal_id"
          label="Goal"
          required
          value={typed.goal_id}
          onChange={(goal_id) => set({ goal_id, rate: rateFor(goal_id) })}
          options={goals.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <div class="weights wide">
          <NumberField
            path="baseline_rate"
            label="Present rate"
            unit="%"
            min={0}
            max={100}
            value={typed.rate}
            onChange={(rate) => set({ rate })}
            hint="Empty: measured from the shop's traffic."
          />
          <NumberField
            path="daily_visitors"
            label="Visitors a day"
            min={0}
            value={typed.daily}
            onChange={(daily) => set({ daily })}
            hint="For the days below only."
          />
        </div>
        <EffectChoice value={typed.mde} onChange={(mde) => set({ mde })} of={of} />
        <SelectField
          path="engine"
          label="How results are read"
          required
          value={typed.engine}
          onChange={(engine) => set({ engine: engine as Engine })}
          options={Object.entries(ENGINES).map(([value, label]) => ({
            value,
            label: engines.has(value as Engine) ? `${label}: ${engines.get(value as Engine)} days` : label,
          }))}
        />
        <details>
          <summary>Certainty</summary>
          <div class="weights wide">
            <NumberField
              path="alpha"
              label="False alarms"
              unit="%"
              value={typed.alpha}
              onChange={(alpha) => set({ alpha })}
            />
            <NumberField
              path="power"
              label="Real changes found"
              unit="%"
              value={typed.power}
              onChange={(power) => set({ power })}
            />
          </div>
          <CheckField
            path="covariate_adjustment"
            label="Adjust for what visitors did in the 14 days before"
            value={typed.isAdjusted}
            onChange={(isAdjusted) => set({ isAdjusted })}
            hint="Less noise where visitors come back. It must be chosen before the start."
          />
        </details>
        <Conflict doing={doing} reload={open.reload} />
      </Form>
      {changing.dialog}
    </>
  );
}

function circumstancesOf(typed: Typed, { experiment }: Open): Circumstances {
  const used = experiment.variations.filter(({ archived_at }) => !archived_at);
  return {
    baseline_rate: typed.rate ? typed.rate / 100 : null,
    daily_visitors: typed.daily ? typed.daily * experiment.traffic_allocation : null,
    engine: typed.engine,
    treatments: Math.max(1, used.length - 1),
    alpha: typed.alpha === null ? undefined : typed.alpha / 100,
    power: typed.power === null ? undefined : typed.power / 100,
  };
}

/** Return the days that the effect takes by each way of reading. */
function useEngineDays(mde: number, of: Circumstances): ReadonlyMap<Engine, number> {
  const sizes: [Engine, Schemas["SampleSize"] | undefined][] = [
    ["sequential", useSizes([mde], { ...of, engine: "sequential" }).get(mde)],
    ["group_sequential", useSizes([mde], { ...of, engine: "group_sequential" }).get(mde)],
    ["fixed", useSizes([mde], { ...of, engine: "fixed" }).get(mde)],
  ];
  return new Map(
    sizes.flatMap(([engine, size]): [Engine, number][] =>
      size?.recommended_days ? [[engine, size.recommended_days]] : [],
    ),
  );
}
