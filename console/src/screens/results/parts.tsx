import type { ComponentChildren } from "preact";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { type Metric, measureOf } from "../../kit/measure.ts";
import { type Arm, armsOf } from "../../plots/arm.tsx";
import type { CurveGoal } from "../../plots/curves.tsx";
import type { Happening } from "../../plots/lines.tsx";
import { type Goal, MARKED, type Report, SIGNS } from "./wording.ts";

/** A word in its tone, with a sign. */
export function Word({ of }: { of: readonly [string, Tone] }) {
  const [word, tone] = of;
  return (
    <Badge tone={tone}>
      <span aria-hidden="true">{SIGNS[tone]}</span> {word}
    </Badge>
  );
}

/** Facts, each a word and a sentence. */
export function Facts({ lines }: { lines: readonly Fact[] }) {
  if (!lines.length) return null;
  return (
    <ul class="fact-lines">
      {lines.map(({ id, word, text, more }) => (
        <li key={id}>
          <Word of={word} />
          <p>
            {text} {more && <span class="soft">{more}</span>}
          </p>
        </li>
      ))}
    </ul>
  );
}

export interface Fact {
  id: string;
  word: readonly [string, Tone];
  text: ComponentChildren;
  more?: ComponentChildren;
}

/** Return the arms of a report: variations in use, the control first. */
export function armsIn(report: Report): Arm[] {
  return armsOf(report.experiment.variations);
}

/** Return the currency of a goal's compared number; null where it is not money. */
export function currencyOf(goal: Pick<Goal, "type" | "metric" | "numerator">, currency: string): string | null {
  const isMoney =
    goal.type === "revenue" && goal.metric !== "rate" && (goal.metric !== "ratio" || goal.numerator === "value");
  return isMoney ? currency : null;
}

/** Return what a plot has to know of a goal. */
export function curveGoal(goal: Goal, currency: string): CurveGoal {
  const unit = currencyOf(goal, currency);
  return {
    id: goal.goal_id,
    name: goal.name,
    metric: goal.metric as Metric,
    currency: unit,
    measure: measureOf({ ...goal, currency: unit }),
  };
}

/** Return what happened in the measurement, for the time axis of plots. */
export function happenings(report: Report): Happening[] {
  return report.timeline
    .filter(({ kind }) => MARKED.has(kind))
    .map(({ moment, sentence }) => ({ at: Date.parse(moment), text: sentence }));
}

const DAY = 86_400_000;

/** Return when the plan ends at the pace so far; null where it is not known, or over. */
export function plannedEnd(report: Report): Happening | null {
  const days = report.plan?.days_left ?? report.verdict.days_left;
  const counted = report.computed_at;
  if (!days || days <= 0 || !counted || report.experiment.status !== "running") return null;
  return { at: Date.parse(counted) + days * DAY, text: "planned end" };
}

/** Return whether a lift of the variation is too good to be true. */
export function isDoubtful(report: Report, variationId: string): boolean {
  return report.implausible_lifts.some(({ variation_id }) => variation_id === variationId);
}
