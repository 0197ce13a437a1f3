import { sentence } from "../../kit/formats.ts";
import { apart, between } from "../../kit/measure.ts";
import { Section } from "../../kit/page.tsx";
import { change, percent } from "../../kit/values.tsx";
import { type Arm, ArmName } from "../../plots/arm.tsx";
import { Figure } from "../../plots/figure.tsx";
import { Forest, type ForestGroup, type ForestRow } from "../../plots/forest.tsx";
import type { Sheet } from "../../plots/sheet.ts";
import { Word } from "./parts.tsx";
import { type Goal, ROLES, type Row, STATES } from "./wording.ts";

interface LiftProps {
  goals: readonly Goal[];
  arms: readonly Arm[];
  alpha: number;
}

/** Lift of every goal and treatment on one axis. */
export function Lift({ goals, arms, alpha }: LiftProps) {
  return (
    <Section
      title="Lift by goal"
      lead={`Change against the control, with the interval that holds the true change at ${percent(1 - alpha, 0)} confidence or better. An interval across 0 allows for no change at all.`}
    >
      <Figure title="Lift by goal" isTitled={false} sheet={liftSheet(goals)} file="lift">
        <Forest groups={goals.map((goal) => goalGroup(goal, arms))} />
      </Figure>
    </Section>
  );
}

function goalGroup(goal: Goal, arms: readonly Arm[]): ForestGroup {
  const notes = [
    ROLES[goal.role],
    goal.direction === "decrease" && "less is better",
    goal.is_archived && "no longer in use",
    goal.not_evaluable === "not_counted_yet" && "not counted yet",
  ].filter(Boolean);
  return {
    id: goal.goal_id,
    title: (
      <>
        <bdi>{goal.name}</bdi> <small>{notes.join(", ")}</small>
      </>
    ),
    note: goal.adjustment && goal.adjustment.status !== "decides" ? sentence(goal.adjustment.message) : null,
    rows: goal.rows.filter(({ is_control }) => !is_control).map((row) => forestRow(goal, row, arms)),
  };
}

/** States whose message repeats the badge and the numbers next to it. */
const PLAIN: ReadonlySet<Row["state"]> = new Set(["better", "worse", "undecided"]);

/** Return one treatment as a line of a forest. */
export function forestRow(goal: Goal, row: Row, arms: readonly Arm[]): ForestRow {
  const adjusted = row.cuped?.decides ? row.cuped : null;
  // A control of zero has no lift; the difference still exists.
  const text =
    row.lift === null && row.difference !== null ? apart(row.difference, goal.metric, row.currency) : change(row.lift);
  return {
    id: row.variation_id,
    name: <ArmName arm={arms.find(({ id }) => id === row.variation_id)}>{row.variation_name}</ArmName>,
    label: `${goal.name}, ${row.variation_name} against the control`,
    value: row.lift,
    interval: row.ci,
    text,
    between: between(row.ci),
    tone: STATES[row.state][1],
    beside: <Word of={STATES[row.state]} />,
    said: adjusted
      ? `${change(adjusted.lift)} (${between(adjusted.ci)}), adjusted for the time before. This estimate decides.`
      : !PLAIN.has(row.state) && sentence(row.message),
  };
}

/** Return lifts and intervals as numbers. */
export function liftSheet(goals: readonly Goal[]): Sheet {
  const text = (value: number) => change(value);
  return {
    columns: [
      { title: "Goal" },
      { title: "Variation" },
      { title: "Lift", text },
      { title: "Lower end", text },
      { title: "Upper end", text },
      { title: "Verdict" },
    ],
    rows: goals.flatMap((goal) =>
      goal.rows
        .filter(({ is_control }) => !is_control)
        .map((row) => [
          goal.name,
          row.variation_name,
          row.lift,
          row.ci?.lower ?? null,
          row.ci?.upper ?? null,
          STATES[row.state][0],
        ]),
    ),
  };
}
