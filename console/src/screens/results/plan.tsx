import { sentence } from "../../kit/formats.ts";
import { Section } from "../../kit/page.tsx";
import { count, percent } from "../../kit/values.tsx";
import { EffectPlot } from "../../plots/effect.tsx";
import { Reached } from "../../plots/stack.tsx";
import type { Report } from "./wording.ts";

/** The planned sample against the reached one, and what other lengths would detect. */
export function Plan({ report }: { report: Report }) {
  const { plan } = report;
  if (!plan)
    return (
      <Section title="Planned and reached sample">
        <p>No sample size was planned, so it is not known in advance when this test can be decided.</p>
      </Section>
    );
  const reached = `${count(plan.reached_visitors)} of ${count(plan.required_total_visitors)} visitors`;
  return (
    <Section title="Planned and reached sample" lead={terms(plan)}>
      {plan.reached !== null && (
        <>
          <Reached
            title={`${percent(plan.reached, 0)} of the planned sample`}
            description={reached}
            share={plan.reached}
          />
          <p>
            <b>{percent(plan.reached, 0)}</b> {reached}
          </p>
        </>
      )}
      <p>{sentence(plan.message)}</p>
      <EffectPlot effects={report.detectable_effects} planned={plan.mde} />
    </Section>
  );
}

/** Return the assumptions of the plan in a sentence, as far as they are stored. */
export function terms(plan: NonNullable<Report["plan"]>): string {
  const each = plan.required_sample_per_variant;
  return [
    `Planned for ${plan.goal_name ?? "a goal that was deleted"}`,
    plan.baseline_rate !== null && ` at a conversion rate of ${percent(plan.baseline_rate)}`,
    plan.mde !== null && `, to find a change of ${percent(Math.abs(plan.mde), 1)} of it`,
    plan.power !== null && ` with a chance of ${percent(plan.power, 0)}`,
    each ? `: ${count(each)} visitors a variation.` : ".",
  ]
    .filter(Boolean)
    .join("");
}
