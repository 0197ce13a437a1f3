import type { Schemas } from "../api/client.ts";
import { type Metric, measured, tickOf } from "../kit/measure.ts";
import { count } from "../kit/values.tsx";
import type { Arm } from "./arm.tsx";
import { Figure } from "./figure.tsx";
import { type Happening, type Line, Lines, type Point } from "./lines.tsx";
import type { Sheet } from "./sheet.ts";
import { dayText, timeTicks } from "./time.ts";

export type Series = Schemas["Timeseries"];
type SeriesRow = Schemas["TimeseriesRow"];

/** Share of the visitors before which cumulative rates swing too much: the axis is that of the rest. */
const SETTLED = 0.1;

export interface CurveGoal {
  id: string;
  name: string;
  metric: Metric;
  currency: string | null;
  /** What the value is, such as "conversion rate". */
  measure: string;
}

interface CurvesProps {
  series: Series;
  goal: CurveGoal;
  arms: readonly Arm[];
  marks: readonly Happening[];
}

/** A goal by day: a line for each variation. */
export function CurvesPlot({ series, goal, arms, marks }: CurvesProps) {
  const { lines, xs, visitors } = curvesOf(series, goal, arms);
  const isCumulative = series.mode === "cumulative";
  const name = `${goal.name}: ${isCumulative ? "cumulative" : `by ${series.granularity}`}`;
  const text = (point: Point) => measured(point.y, goal.metric, goal.currency);
  const ends = lines.map((line) => {
    const last = line.points.findLast((point) => point !== null);
    return `${line.name} ${last ? text(last) : "no value"}`;
  });
  const bucket = series.granularity === "day" ? "" : `${series.granularity} from `;
  return (
    <Figure title={name} note={goal.measure} sheet={curvesSheet(series, goal, arms)}>
      <Lines
        title={name}
        description={`${goal.measure} from ${dayText(xs[0] ?? 0, series.timezone)} to ${dayText(xs.at(-1) ?? 0, series.timezone)}. At the end: ${ends.join("; ")}.`}
        xs={xs}
        lines={lines}
        place={(x, index) =>
          `${isCumulative ? "Until " : ""}${bucket}${dayText(x, series.timezone)}, ${count(visitors[index])} visitors`
        }
        text={text}
        ticks={(low, high, most) => timeTicks(low, high, series.timezone, most)}
        tick={tickOf(goal.metric)}
        span={isCumulative ? settled(lines, visitors) : undefined}
        marks={marks}
      />
    </Figure>
  );
}

/** Return the lines of a goal, with a point for each bucket in which a variation has a value. */
export function curvesOf(series: Series, goal: Pick<CurveGoal, "id" | "metric">, arms: readonly Arm[]) {
  const rows = series.data.map(({ goals }) => goals.find(({ goal_id }) => goal_id === goal.id)?.rows ?? []);
  const lines = arms.map((arm): Line => {
    const points = rows.map((bucket) => {
      const value = levelOf(
        bucket.find(({ variation_id }) => variation_id === arm.id),
        goal.metric,
      );
      return value === null ? null : { y: value };
    });
    return { id: arm.id, name: arm.name, mark: arm.mark, colour: arm.colour, points };
  });
  return {
    lines: lines.filter(({ points }) => points.some((point) => point !== null)),
    xs: series.data.map(({ start }) => Date.parse(start)),
    visitors: rows.map((bucket) => bucket.reduce((sum, { visitors }) => sum + visitors, 0)),
  };
}

/** Return the compared number of a row: its rate, mean or ratio. */
export function levelOf(row: Pick<SeriesRow, Metric> | undefined, metric: Metric): number | null {
  return row?.[metric] ?? null;
}

/** Return the values from a tenth of the visitors on. */
export function settled(lines: readonly Line[], visitors: readonly number[]): number[] {
  const enough = (visitors.at(-1) ?? 0) * SETTLED;
  const from = visitors.findIndex((each) => each >= enough);
  return lines.flatMap(({ points }) => points.slice(from).flatMap((point) => (point ? [point.y] : [])));
}

/** Return the buckets of a goal as numbers. */
export function curvesSheet(series: Series, goal: CurveGoal, arms: readonly Arm[]): Sheet {
  const value = (number: number) => measured(number, goal.metric, goal.currency);
  const rows = series.data.flatMap((bucket) =>
    (bucket.goals.find(({ goal_id }) => goal_id === goal.id)?.rows ?? []).map((row) => [
      bucket.date,
      arms.find(({ id }) => id === row.variation_id)?.name ?? row.variation_id,
      row.visitors,
      row.conversions,
      levelOf(row, goal.metric),
    ]),
  );
  return {
    columns: [
      { title: series.granularity === "day" ? "Day" : "From" },
      { title: "Variation" },
      { title: "Visitors", text: count },
      { title: "Converted", text: count },
      { title: goal.measure, text: value },
    ],
    rows,
  };
}
