import { useLocation } from "preact-iso";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { count, money, percent } from "../../kit/values.tsx";
import { Figure } from "../../plots/figure.tsx";
import { Funnel } from "../../plots/funnel.tsx";
import { Lines } from "../../plots/lines.tsx";
import type { Sheet } from "../../plots/sheet.ts";
import { Spark } from "../../plots/spark.tsx";
import { dayText, timeTicks } from "../../plots/time.ts";
import { shop } from "../../session/session.ts";
import { GAPS } from "../results/wording.ts";
import { PeriodBar, periodIn } from "./period.tsx";

type Stats = Schemas["AnalyticsStatsResponse"];
type Day = Stats["data"][number];
type FunnelDay = Schemas["FunnelDay"];

/** Visitors and orders of the shop by day, and how far visitors get. */
export default function Traffic() {
  const period = periodIn(useLocation().query);
  const key = [period.from, period.to];
  const timezone = shop.value?.timezone ?? "UTC";
  const stats = useLoaded(() => data(api.GET("/analytics/stats", { params: { query: { ...period, timezone } } })), key);
  const funnel = useLoaded(
    async () => (await data(api.GET("/analytics/funnel", { params: { query: period } }))).data,
    key,
  );
  return (
    <Page title="Visitors and orders" lead="What the snippet saw in the shop, with and without experiments.">
      <PeriodBar period={period} usual="Last 28 days" />
      <Shown of={stats}>{(read) => <Days stats={read} />}</Shown>
      <Section title="How far visitors get">
        <Shown of={funnel}>{(days) => <Steps days={days} />}</Shown>
      </Section>
    </Page>
  );
}

function Days({ stats }: { stats: Stats }) {
  const days = stats.data;
  const visitors = sum(days, ({ visitors }) => visitors);
  const orders = sum(days, ({ conversions }) => conversions);
  const revenue = sum(days, ({ revenue }) => revenue);
  const tiles = [
    { name: "Visitors, day by day", text: count(visitors), values: days.map((day) => day.visitors) },
    { name: "Orders", text: count(orders), values: days.map((day) => day.conversions) },
    { name: "Revenue", text: money(revenue), values: days.map((day) => day.revenue) },
    {
      name: "Orders a visitor",
      text: percent(visitors ? orders / visitors : null),
      values: days.map((day) => (day.visitors ? day.conversions / day.visitors : 0)),
    },
  ];
  return (
    <>
      <Section title="In all">
        <dl class="figures">
          {tiles.map(({ name, text, values }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
              <dd>
                <Spark title={`${name} by day`} values={values} />
              </dd>
            </div>
          ))}
        </dl>
        {stats.coverage.reasons.map((reason) => (
          <p key={reason} class="note warn">
            {GAPS[reason]}
          </p>
        ))}
      </Section>
      <Section title="By day" lead={`Days are those of ${stats.timezone}.`}>
        <DayPlot days={days} name="Visitors" colour={1} of={({ visitors }) => visitors} text={count} />
        <DayPlot days={days} name="Orders" colour={3} of={({ conversions }) => conversions} text={count} />
        <DayPlot days={days} name="Revenue" colour={2} of={({ revenue }) => revenue} text={(value) => money(value)} />
      </Section>
    </>
  );
}

interface DayPlotProps {
  days: readonly Day[];
  name: string;
  colour: number;
  of: (day: Day) => number;
  text: (value: number) => string;
}

function DayPlot({ days, name, colour, of, text }: DayPlotProps) {
  const xs = days.map(({ date }) => Date.parse(`${date}T12:00:00Z`));
  const last = days.at(-1);
  if (!last) return null;
  return (
    <Figure title={`${name} by day`} sheet={daySheet(days)} file={`${name} by day`}>
      <Lines
        title={`${name} by day`}
        description={`From ${days[0]?.date} to ${last.date}. On the last day: ${text(of(last))}.`}
        xs={xs}
        lines={[{ id: name, name, mark: "", colour, points: days.map((day) => ({ y: of(day) })) }]}
        place={(x) => dayText(x, "UTC")}
        text={({ y }) => text(y)}
        ticks={(low, high, most) => timeTicks(low, high, "UTC", most)}
        tick={(value) => count(value)}
        hasZero
      />
    </Figure>
  );
}

/** Return days as numbers. */
export function daySheet(days: readonly Day[]): Sheet {
  return {
    columns: [
      { title: "Day" },
      { title: "Visitors", text: count },
      { title: "Orders", text: count },
      { title: "Revenue", text: (value) => money(value) },
    ],
    rows: days.map(({ date, visitors, conversions, revenue }) => [date, visitors, conversions, revenue]),
  };
}

function Steps({ days }: { days: readonly FunnelDay[] }) {
  return (
    <Figure title="Funnel" isTitled={false} sheet={funnelSheet(days)} file="funnel">
      <Funnel
        steps={[
          { name: "Visited", value: sum(days, ({ visited }) => visited) },
          { name: "Put into the cart", value: sum(days, (day) => day.added_to_cart) },
          { name: "Began the checkout", value: sum(days, (day) => day.started_checkout) },
          { name: "Bought", value: sum(days, ({ purchased }) => purchased) },
        ]}
      />
      <p class="soft">A visitor of several days counts on each of them. Days are those of UTC.</p>
    </Figure>
  );
}

/** Return the days of a funnel as numbers. */
export function funnelSheet(days: readonly FunnelDay[]): Sheet {
  return {
    columns: ["Day", "Visited", "Put into the cart", "Began the checkout", "Bought"].map((title) => ({
      title,
      text: count,
    })),
    rows: days.map((day) => [day.date, day.visited, day.added_to_cart, day.started_checkout, day.purchased]),
  };
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}
