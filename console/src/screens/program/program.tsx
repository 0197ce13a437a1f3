import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { between, pValue } from "../../kit/measure.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { change, count, money, percent, Time } from "../../kit/values.tsx";
import { Figure } from "../../plots/figure.tsx";
import { Forest, type ForestRow } from "../../plots/forest.tsx";
import { Stack } from "../../plots/stack.tsx";
import { Word } from "../results/parts.tsx";
import { PeriodBar, periodIn } from "./period.tsx";

type Program = Schemas["ProgramFigures"];
type Holdout = Schemas["HoldoutComparison"];

/** What all experiments together brought: outcomes, and everybody against the holdout. */
export default function ProgramScreen() {
  const period = periodIn(useLocation().query);
  const key = [period.from, period.to];
  const program = useLoaded(
    async () => (await data(api.GET("/analytics/program", { params: { query: period } }))).data,
    key,
  );
  const holdout = useLoaded(
    async () => (await data(api.GET("/analytics/holdout", { params: { query: period } }))).data,
    key,
  );
  return (
    <Page title="Program" lead="What your experiments brought, taken together.">
      <PeriodBar period={period} usual="Last 28 days" />
      <Shown of={program}>{(read) => <Outcomes of={read} />}</Shown>
      <Section
        title="The program against the holdout"
        lead="Some visitors are kept out of every experiment. Compared with all others, they show what the whole program does."
      >
        <Shown of={holdout}>{(read) => (read.is_enabled ? <Compared of={read} /> : <NoHoldout />)}</Shown>
      </Section>
    </Page>
  );
}

type Month = Program["months"][number];

const MONTHS: readonly Column<Month>[] = [
  { title: "Month", isName: true, cell: ({ month }) => month },
  { title: "Started", isNumber: true, cell: ({ started }) => count(started) },
  { title: "Completed", isNumber: true, cell: ({ completed }) => count(completed) },
  { title: "Won", isNumber: true, cell: ({ won }) => count(won) },
  { title: "Lost", isNumber: true, cell: ({ lost }) => count(lost) },
  { title: "Inconclusive", isNumber: true, cell: ({ inconclusive }) => count(inconclusive) },
];

function Outcomes({ of }: { of: Program }) {
  const decided = of.won + of.lost + of.inconclusive;
  return (
    <Section title="Outcomes">
      <dl class="figures">
        <Fact name="Started" value={count(of.started)} />
        <Fact name="Running now" value={count(of.running)} />
        <Fact name="Completed" value={count(of.completed)} />
        <Fact
          name="Win rate"
          value={percent(of.win_rate, 0)}
          note={decided ? `of ${count(decided)} with an outcome` : "no outcome yet"}
        />
        <Fact
          name="Median length"
          value={of.median_days === null ? "–" : `${count(Math.round(of.median_days))} days`}
        />
      </dl>
      {decided > 0 && (
        <Stack
          title="Outcomes of completed experiments"
          parts={[
            { name: "Inconclusive", value: of.inconclusive, text: count(of.inconclusive) },
            { name: "Won", value: of.won, text: count(of.won) },
            { name: "Lost", value: of.lost, text: count(of.lost) },
          ]}
        />
      )}
      {of.months.length > 0 && (
        <div class="more">
          <Table caption="By month" columns={MONTHS} rows={of.months} keyOf={({ month }) => month} />
        </div>
      )}
    </Section>
  );
}

function Fact({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      {note && <dd class="soft">{note}</dd>}
    </div>
  );
}

const COHORTS: Record<Holdout["rows"][number]["cohort"], string> = { active: "In the program", holdout: "Holdout" };

function Compared({ of }: { of: Holdout }) {
  const columns: readonly Column<Holdout["rows"][number]>[] = [
    { title: "Visitors of", isName: true, cell: ({ cohort }) => COHORTS[cohort] },
    { title: "Visitors", isNumber: true, cell: ({ visitors }) => count(visitors) },
    { title: "Buyers", isNumber: true, cell: ({ buyers }) => count(buyers) },
    { title: "Orders", isNumber: true, cell: ({ orders }) => count(orders) },
    { title: "Revenue", isNumber: true, cell: ({ revenue }) => money(revenue, of.currency) },
    { title: "Conversion rate", isNumber: true, cell: (row) => percent(row.conversion_rate) },
    { title: "Revenue a visitor", isNumber: true, cell: (row) => money(row.revenue_per_visitor, of.currency) },
  ];
  const rows = [
    effectRow("Conversion rate", of.conversion_rate),
    effectRow("Revenue a visitor", of.revenue_per_visitor),
  ];
  return (
    <>
      {of.srm.status === "mismatch" && (
        <p class="note bad" role="status">
          Visitors are not split as the holdout says. Look for the reason before you trust these numbers.
        </p>
      )}
      <Figure title="Effect of the program" isTitled={false} sheet={effectSheet(of)} file="holdout">
        <Forest groups={[{ id: "holdout", rows }]} />
      </Figure>
      <div class="more">
        <Table caption="Program and holdout" columns={columns} rows={of.rows} keyOf={({ cohort }) => cohort} />
      </div>
      <p class="soft">
        Counted since <Time at={new Date(of.holdout_config_epoch).toISOString()} />; the comparison holds whenever you
        look.
      </p>
    </>
  );
}

function effectRow(name: string, effect: Holdout["conversion_rate"]): ForestRow {
  const isBetter = effect?.is_significant && effect.difference > 0;
  const word = !effect
    ? (["Too little data", "plain"] as const)
    : !effect.is_significant
      ? (["Undecided", "plain"] as const)
      : isBetter
        ? (["Better", "good"] as const)
        : (["Worse", "bad"] as const);
  return {
    id: name,
    name,
    label: `${name}, program against holdout`,
    value: effect?.lift ?? null,
    interval: effect?.ci ?? null,
    text: change(effect?.lift),
    between: between(effect?.ci),
    tone: word[1],
    beside: <Word of={word} />,
  };
}

function effectSheet(of: Holdout) {
  const row = (name: string, effect: Holdout["conversion_rate"]) => [
    name,
    effect?.lift ?? null,
    effect?.ci?.lower ?? null,
    effect?.ci?.upper ?? null,
    effect?.p_value ?? null,
  ];
  const text = (value: number) => change(value);
  return {
    columns: [
      { title: "Measure" },
      { title: "Lift", text },
      { title: "Lower end", text },
      { title: "Upper end", text },
      { title: "p", text: pValue },
    ],
    rows: [row("Conversion rate", of.conversion_rate), row("Revenue a visitor", of.revenue_per_visitor)],
  };
}

function NoHoldout() {
  return (
    <Empty title="Nobody is kept out">
      <p>
        With a holdout, a few percent of all visitors see no experiment. After some weeks it shows what all of them
        brought.
      </p>
      <p>
        <a href={at("/settings")}>Turn it on in the settings</a>
      </p>
    </Empty>
  );
}
