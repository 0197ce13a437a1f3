import { sentence } from "../../kit/formats.ts";
import { measured } from "../../kit/measure.ts";
import { Section } from "../../kit/page.tsx";
import { count, money, percent } from "../../kit/values.tsx";
import { Figure } from "../../plots/figure.tsx";
import type { Sheet } from "../../plots/sheet.ts";
import { type Part, Stack } from "../../plots/stack.tsx";
import { armsIn, type Fact, Facts, isDoubtful } from "./parts.tsx";
import type { Report } from "./wording.ts";

type SetAside = NonNullable<Report["money_set_aside"]>;

/** What a month of each treatment is worth, or why that is not known. */
export function Worth({ report }: { report: Report }) {
  if (!report.computed_at) return null;
  return (
    <Section title="Worth a month" lead={sentence(report.worth.message)}>
      <Facts
        lines={report.worth.treatments.map(
          (one): Fact => ({
            id: one.variation_id,
            word: isDoubtful(report, one.variation_id)
              ? ["Doubtful", "warn"]
              : !one.is_significant
                ? ["Not clear", "plain"]
                : one.amount >= 0
                  ? ["Earns", "good"]
                  : ["Costs", "bad"],
            text: sentence(one.message),
          }),
        )}
      />
    </Section>
  );
}

/** Orders whose money is in no sum: other currencies, or unknown ones. */
export function MoneySetAside({ report }: { report: Report }) {
  const aside = report.money_set_aside;
  if (!aside) return null;
  if (!aside.amounts.length)
    return (
      <Section title="Money set aside">
        <p>{sentence(aside.message)}</p>
      </Section>
    );
  const goals = [...new Set(aside.amounts.map(({ goal_id }) => goal_id))];
  return (
    <Section title="Money set aside" lead={sentence(aside.message)}>
      {goals.map((id) => {
        const name = aside.amounts.find(({ goal_id }) => goal_id === id)?.goal_name ?? "";
        return (
          <Figure key={id} title={`${name}: orders by currency`} sheet={asideSheet(report, aside, id)}>
            <Stack title={`Orders of ${name} by currency`} parts={parts(report, aside, id)} />
          </Figure>
        );
      })}
      {aside.share_of_orders !== null && (
        <p class="soft">{percent(aside.share_of_orders, 1)} of all orders of goals that count money are set aside.</p>
      )}
    </Section>
  );
}

/** Return the orders of a goal that are counted, and those of each currency that are not. */
export function parts(report: Report, aside: SetAside, goalId: string): Part[] {
  const rows = report.goals.find(({ goal_id }) => goal_id === goalId)?.rows ?? [];
  const excluded = aside.amounts.filter(({ goal_id }) => goal_id === goalId);
  const left = excluded.reduce((sum, { orders }) => sum + orders, 0);
  const counted = Math.max(0, rows.reduce((sum, row) => sum + (row.count ?? row.conversions ?? 0), 0) - left);
  return [
    { name: `Counted, ${aside.currency}`, value: counted, text: count(counted) },
    ...excluded.map(({ currency, kind, orders, amount }) => ({
      name: currency ?? (kind === "unknown" ? "unknown currency" : "several currencies"),
      value: orders,
      text: `${count(orders)} (${currency ? money(amount, currency) : measured(amount, "mean", null)})`,
    })),
  ];
}

function asideSheet(report: Report, aside: SetAside, goalId: string): Sheet {
  const arms = armsIn(report);
  return {
    columns: [
      { title: "Currency" },
      { title: "Orders", text: count },
      { title: "Face value" },
      ...arms.map(({ name }) => ({ title: `Orders in ${name}`, text: count })),
    ],
    rows: aside.amounts
      .filter(({ goal_id }) => goal_id === goalId)
      .map((one) => [
        one.currency ?? one.kind,
        one.orders,
        one.amount,
        ...arms.map(({ id }) => one.by_variation[id] ?? 0),
      ]),
  };
}
