import { apart, between, measured, pValue } from "../../kit/measure.ts";
import { Section } from "../../kit/page.tsx";
import { change, count, money, percent } from "../../kit/values.tsx";
import { type Arm, ArmName } from "../../plots/arm.tsx";
import { Figure } from "../../plots/figure.tsx";
import type { Sheet } from "../../plots/sheet.ts";
import { currencyOf, Word } from "./parts.tsx";
import { type Goal, type Row, STATES } from "./wording.ts";

interface Column {
  title: string;
  text: (goal: Goal, row: Row) => string;
  /** Left out where no row has a value. */
  has?: (row: Row) => boolean;
}

const COLUMNS: readonly Column[] = [
  { title: "Visitors", text: (_, row) => count(row.visitors) },
  { title: "Converted", text: (_, row) => count(row.conversions) },
  {
    title: "Hits",
    text: (_, row) => count(row.count),
    has: (row) => row.count !== null && row.count !== row.conversions,
  },
  {
    title: "Level",
    text: (goal, row) => measured(row[goal.metric], goal.metric, currencyOf(goal, row.currency ?? "EUR")),
  },
  {
    title: "Revenue",
    text: (_, row) => money(row.revenue, row.currency ?? undefined),
    has: (row) => row.revenue !== null,
  },
  { title: "Lift", text: (_, row) => change(row.lift) },
  { title: "Interval", text: (_, row) => between(row.ci) },
  { title: "Difference", text: (goal, row) => apart(row.difference, goal.metric, row.currency) },
  { title: "p", text: (_, row) => pValue(row.p_value), has: (row) => row.p_value !== null },
  { title: "Always-valid p", text: (_, row) => pValue(row.always_valid_p), has: (row) => row.always_valid_p !== null },
  { title: "Corrected p", text: (_, row) => pValue(row.adjusted_p_value), has: (row) => row.adjusted_p_value !== null },
  {
    title: "Chance to be better",
    text: (_, row) => percent(row.prob_to_beat_control, 1),
    has: (row) => row.prob_to_beat_control !== null,
  },
  {
    title: "Expected loss",
    text: (goal, row) => measured(row.expected_loss, goal.metric, row.currency),
    has: (row) => row.expected_loss !== null,
  },
];

/** Every goal and variation in numbers. */
export function Numbers({ goals, arms, lead }: { goals: readonly Goal[]; arms: readonly Arm[]; lead: string }) {
  if (!goals.length) return null;
  const rows = goals.flatMap((goal) => goal.rows);
  const columns = COLUMNS.filter(({ has }) => !has || rows.some(has));
  return (
    <Section title="All numbers" lead={lead}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys */}
      <section class="box" tabIndex={0} aria-label="Table of all numbers">
        <table>
          <caption class="unseen">All numbers by goal and variation</caption>
          <thead>
            <tr>
              <th scope="col">Variation</th>
              {columns.map(({ title }) => (
                <th key={title} scope="col" class="num">
                  {title}
                </th>
              ))}
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          {goals.map((goal) => (
            <tbody key={goal.goal_id}>
              <tr class="goal-head">
                <th scope="rowgroup" colSpan={columns.length + 2}>
                  <bdi>{goal.name}</bdi>
                </th>
              </tr>
              {goal.rows.map((row) => (
                <tr key={row.variation_id}>
                  <th scope="row">
                    <ArmName arm={arms.find(({ id }) => id === row.variation_id)}>{row.variation_name}</ArmName>
                  </th>
                  {columns.map(({ title, text }) => (
                    <td key={title} class="num">
                      {text(goal, row)}
                    </td>
                  ))}
                  <td>
                    <Word of={STATES[row.state]} />
                  </td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </section>
      <Figure title="All numbers, unrounded" isTitled={false} file="results" sheet={numbersSheet(goals)}>
        {null}
      </Figure>
    </Section>
  );
}

/** Return all figures of all rows as numbers. */
export function numbersSheet(goals: readonly Goal[]): Sheet {
  const titles = [
    "visitors",
    "conversions",
    "count",
    "rate",
    "mean",
    "ratio",
    "revenue",
    "lift",
    "difference",
    "p_value",
    "always_valid_p",
    "adjusted_p_value",
    "prob_to_beat_control",
    "expected_loss",
  ] as const;
  return {
    columns: [
      { title: "Goal" },
      { title: "Variation" },
      ...titles.map((title) => ({ title })),
      { title: "ci_lower" },
      { title: "ci_upper" },
      { title: "state" },
    ],
    rows: goals.flatMap((goal) =>
      goal.rows.map((row) => [
        goal.name,
        row.variation_name,
        ...titles.map((title) => row[title]),
        row.ci?.lower ?? null,
        row.ci?.upper ?? null,
        row.state,
      ]),
    ),
  };
}
