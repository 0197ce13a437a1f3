import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { CheckField, ManyField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Section } from "../../kit/page.tsx";
import { DAYS } from "../../kit/rules/attributes.ts";
import {
  cleanedTargeting,
  type Library,
  TargetingField,
  TargetingWords,
  useLibrary,
} from "../../kit/rules/targeting.tsx";
import type { AudienceRules } from "../../kit/rules/words.ts";
import { Shown } from "../../kit/state.tsx";
import { percent, Time } from "../../kit/values.tsx";
import { may, shop } from "../../session/session.ts";
import { ExperimentFrame } from "./frame.tsx";
import { type Experiment, type Open, useChanging } from "./open.ts";

type Targeting = Schemas["ExperimentTargeting"];
type Day = (typeof DAYS)[number];

/** Where, for whom, when, and for how many. */
export default function TargetingTab() {
  const library = useLibrary();
  return (
    <ExperimentFrame tab="targeting">
      {(open) => (
        <Shown of={library}>
          {(read) => (
            <>
              <Section title="In words">
                <TargetingWords value={open.experiment.targeting} library={read} />
                <Around experiment={open.experiment} />
              </Section>
              {may("experiments:write") && (
                <Section title="Change it">
                  <Rules open={open} library={read} />
                </Section>
              )}
            </>
          )}
        </Shown>
      )}
    </ExperimentFrame>
  );
}

const QUICK: readonly { name: string; rules: AudienceRules }[] = [
  { name: "Phones", rules: only("device", "mobile") },
  { name: "Computers", rules: only("device", "desktop") },
  { name: "New visitors", rules: only("visitor", "new") },
  { name: "Returning visitors", rules: only("visitor", "returning") },
];

function only(attribute: "device" | "visitor", value: string): AudienceRules {
  return { operator: "and", conditions: [{ attribute, operator: "equals", value }] };
}

/** Add an audience that everybody must be in, beside those that are there. */
export function withAudience(targeting: Targeting | null, name: string, rules: AudienceRules): Targeting {
  const present = targeting?.segmentRules ?? [];
  const added = { id: crypto.randomUUID(), name, rules };
  // One audience is the same in both modes; from two on the present mode is what somebody chose.
  const segmentMatchMode = present.length < 2 ? "all" : (targeting?.segmentMatchMode ?? "any");
  return { ...targeting, segmentMatchMode, segmentRules: [...present, added] };
}

interface Typed {
  targeting: Targeting | null;
  traffic: number | null;
  isCheckout: boolean;
  isCustomer: boolean;
  days: string[];
}

function typedOf({ targeting, traffic_allocation, results_weekdays }: Experiment): Typed {
  return {
    targeting,
    traffic: Number((traffic_allocation * 100).toFixed(2)),
    isCheckout: targeting?.surface === "checkout",
    isCustomer: targeting?.identity === "customer",
    days: results_weekdays?.days ?? [],
  };
}

/** Return the targeting that was typed; null takes a field away. */
function targetingIn({ targeting, isCheckout, isCustomer }: Typed, had: Targeting | null): Targeting {
  const cleaned = cleanedTargeting(targeting) ?? {};
  const surface = isCheckout ? "checkout" : had?.surface ? null : undefined;
  const identity = isCustomer ? "customer" : had?.identity ? null : undefined;
  return {
    ...cleaned,
    ...(surface !== undefined && { surface }),
    ...(identity !== undefined && { identity }),
  } as Targeting;
}

function Rules({ open, library }: { open: Open; library: Library }) {
  const { experiment, reload } = open;
  const doing = useDoing();
  const changing = useChanging(open);
  const { draft, set, changed, isDirty, contested, reset } = useEdit<Typed>(typedOf(experiment));
  const isTargeted = "targeting" in changed || "isCheckout" in changed || "isCustomer" in changed;
  const zone = experiment.results_weekdays?.timezone ?? shop.value?.timezone ?? "UTC";
  const save = async () => {
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    const results_weekdays = draft.days.length ? { days: draft.days as Day[], timezone: zone } : null;
    const body = {
      ...(isTargeted && { targeting: targetingIn(draft, experiment.targeting) }),
      ...("traffic" in changed && {
        traffic_allocation: draft.traffic === null ? (null as unknown as number) : draft.traffic / 100,
      }),
      ...("days" in changed && { results_weekdays }),
    };
    await changing.make((confirmed) =>
      data(api.PATCH("/experiments/{experiment_id}", { params, body: { ...body, ...confirmed } })),
    );
    reset();
  };
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={isDirty}>
        <TargetingField
          path="targeting"
          value={draft.targeting}
          onChange={(targeting) => set({ targeting })}
          library={library}
        />
        <p class="tools">
          <span class="soft">Only for:</span>
          {QUICK.map(({ name, rules }) => (
            <button
              key={name}
              type="button"
              onClick={() => set({ targeting: withAudience(draft.targeting, name, rules) })}
            >
              {name}
            </button>
          ))}
        </p>
        <NumberField
          path="traffic_allocation"
          label="Visitors who take part"
          required
          unit="%"
          min={0}
          max={100}
          value={draft.traffic}
          onChange={(traffic) => set({ traffic })}
          hint="Of those whom the rules above let in. All others see the page as it is."
        />
        <CheckField
          path="targeting.identity"
          label="Customers who are logged in keep their variation on every device"
          value={draft.isCustomer}
          onChange={(isCustomer) => set({ isCustomer })}
        />
        <CheckField
          path="targeting.surface"
          label="It runs in the checkout, and nowhere else"
          value={draft.isCheckout}
          onChange={(isCheckout) => set({ isCheckout })}
        />
        <ManyField
          path="results_weekdays"
          label="Days that count"
          hint={`Only visitors who first came on these days are in the results (clock of ${zone}). None chosen: every day.`}
          value={draft.days}
          onChange={(days) => set({ days })}
          options={DAYS.map((day) => ({ value: day, label: day }))}
        />
        <Conflict doing={doing} contested={contested} reload={reload} names={{ traffic: "visitors who take part" }} />
      </Form>
      {changing.dialog}
    </>
  );
}

/** What else decides who takes part: the group, the holdout, the schedule. */
function Around({ experiment }: { experiment: Experiment }) {
  const around = useLoaded(async () => {
    const [groups, read] = await Promise.all([
      data(api.GET("/exclusion-groups", { params: { query: { limit: 100 } } })),
      may("shop:read") ? data(api.GET("/shop")) : null,
    ]);
    const group = groups.data.find(({ members }) =>
      members.some(({ experiment_id }) => experiment_id === experiment.id),
    );
    return { group, holdout: read?.holdout_v1_enabled ? read.holdout_pct : 0 };
  }, [experiment.id]);
  const { scheduled_start_at, weekday_schedule } = experiment;
  return (
    <Shown of={around}>
      {({ group, holdout }) => (
        <dl class="facts">
          <dt>Exclusion group</dt>
          <dd>
            {group ? (
              <>
                <a href={at("/exclusion-groups", group.id)}>{group.name}</a>, with{" "}
                {percent(group.members.find(({ experiment_id }) => experiment_id === experiment.id)?.share, 0)} of its
                visitors. Nobody is in two experiments of a group.
              </>
            ) : (
              <>
                None: visitors may be in other experiments, too. <a href={at("/exclusion-groups")}>Exclusion groups</a>
              </>
            )}
          </dd>
          <dt>Holdout</dt>
          <dd>{holdout ? `${holdout} % of all visitors see no experiment at all.` : "None."}</dd>
          {scheduled_start_at && (
            <>
              <dt>Starts</dt>
              <dd>
                <Time at={scheduled_start_at} />
              </dd>
            </>
          )}
          {weekday_schedule && weekday_schedule.excludedDays.length > 0 && (
            <>
              <dt>Does not run on</dt>
              <dd>
                {weekday_schedule.excludedDays.join(", ")} ({weekday_schedule.timezone})
              </dd>
            </>
          )}
        </dl>
      )}
    </Shown>
  );
}
