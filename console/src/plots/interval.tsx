import type { Schemas } from "../api/client.ts";
import { apart, pValue, tickOf } from "../kit/measure.ts";
import { count } from "../kit/values.tsx";
import type { Arm } from "./arm.tsx";
import { Figure } from "./figure.tsx";
import { type Happening, type Line, Lines, type Point } from "./lines.tsx";
import type { Sheet } from "./sheet.ts";
import { momentText, timeTicks } from "./time.ts";

export type Course = NonNullable<Schemas["Report"]["interval_over_time"]>;

/** Looks whose intervals do not stretch the axis: those of the first are far wider than all others. */
const EARLY = 0.15;
/** A planned end further away than so many times the past would squeeze the looks. */
const FURTHEST = 2;

interface IntervalProps {
  course: Course;
  goal: string;
  /** The treatments, by their ids. */
  arms: readonly Arm[];
  marks: readonly Happening[];
  end: Happening | null;
  zone: string;
}

/** The always-valid interval of the difference from the control, look by look: a picture for each treatment. */
export function IntervalPlots({ course, goal, arms, marks, end, zone }: IntervalProps) {
  const ids = [...new Set(course.looks.flatMap(({ treatments }) => treatments.map((each) => each.variation_id)))];
  const xs = course.looks.map(({ moment }) => Date.parse(moment));
  const lines = ids.map((id) => lineOf(course, id, arms));
  const span = spanOf(lines);
  const text = (point: Point) => intervalText(point, course);
  return (
    <>
      {lines.map((line) => {
        const last = line.points.findLast((point) => point !== null);
        return (
          <Figure
            key={line.id}
            title={`${line.name}: interval over time`}
            note={goal}
            file={`interval ${line.name}`}
            sheet={intervalSheet(course, line.id, marks, zone)}
          >
            <Lines
              title={`${line.name}: interval over time`}
              description={`${count(xs.length)} looks from ${momentText(xs[0] ?? 0, zone)} to ${momentText(xs.at(-1) ?? 0, zone)}. The newest: ${last ? text(last) : "no value"}.`}
              xs={xs}
              lines={[line]}
              place={(x, index) =>
                `Look ${index + 1} of ${xs.length}, ${momentText(x, zone)}, ${count(course.looks[index]?.visitors)} visitors${happened(marks, xs, index)}`
              }
              text={text}
              ticks={(low, high, most) => timeTicks(low, high, zone, most)}
              tick={tickOf(course.metric, true)}
              span={span}
              hasZero
              marks={marks}
              end={endWithin(end, xs)}
            />
          </Figure>
        );
      })}
    </>
  );
}

/** Return the line of a treatment, with a point for each look; null where a look does not have it. */
export function lineOf(course: Course, id: string, arms: readonly Arm[]): Line {
  const arm = arms.find((each) => each.id === id);
  return {
    id,
    name: arm?.name ?? "A removed variation",
    mark: arm?.mark ?? "",
    colour: arm?.colour ?? 1,
    points: course.looks.map(({ treatments }) => {
      const point = treatments.find(({ variation_id }) => variation_id === id);
      return point ? { y: point.difference, lower: point.lower, upper: point.upper } : null;
    }),
  };
}

/** Return the values that the axis of all treatments has to hold: those of the first looks are cut off. */
export function spanOf(lines: readonly Line[]): number[] {
  return lines.flatMap(({ points }) =>
    points
      .slice(Math.floor(points.length * EARLY))
      .flatMap((point) => (point ? [point.y, point.lower ?? point.y, point.upper ?? point.y] : [])),
  );
}

/** Return the planned end where it is near enough to be drawn. */
export function endWithin(end: Happening | null, xs: readonly number[]): Happening | null {
  const first = xs[0] ?? 0;
  const last = xs.at(-1) ?? 0;
  return end && end.at > first && end.at - last <= FURTHEST * Math.max(last - first, 1) ? end : null;
}

/** Return the looks of a treatment as numbers. */
export function intervalSheet(course: Course, id: string, marks: readonly Happening[], zone: string): Sheet {
  const difference = (value: number) => apart(value, course.metric, course.currency);
  const moments = course.looks.map(({ moment }) => Date.parse(moment));
  return {
    columns: [
      { title: "Look" },
      { title: "Moment" },
      { title: "Visitors", text: count },
      { title: "Difference", text: difference },
      { title: "Lower end", text: difference },
      { title: "Upper end", text: difference },
      { title: "Always-valid p", text: pValue },
      { title: "What happened before" },
    ],
    rows: course.looks.map((look, index) => {
      const point = look.treatments.find(({ variation_id }) => variation_id === id);
      return [
        index + 1,
        momentText(moments[index] ?? 0, zone),
        look.visitors,
        point?.difference ?? null,
        point?.lower ?? null,
        point?.upper ?? null,
        point?.always_valid_p ?? null,
        since(marks, moments, index)
          .map(({ text }) => text)
          .join(" "),
      ];
    }),
  };
}

function intervalText(point: Point, course: Course): string {
  const difference = apart(point.y, course.metric, course.currency);
  if (typeof point.lower !== "number" || typeof point.upper !== "number") return `${difference}, no interval yet`;
  const [lower, upper] = [point.lower, point.upper].map((end) => apart(end, course.metric, course.currency));
  return `${difference}, between ${lower} and ${upper}`;
}

function happened(marks: readonly Happening[], xs: readonly number[], index: number): string {
  const texts = since(marks, xs, index).map(({ text }) => text);
  return texts.length ? `. Before it: ${texts.join(" ")}` : "";
}

/** Return what happened after the look before this one. */
function since(marks: readonly Happening[], xs: readonly number[], index: number): Happening[] {
  const after = index > 0 ? (xs[index - 1] ?? 0) : Number.NEGATIVE_INFINITY;
  return marks.filter(({ at }) => at > after && at <= (xs[index] ?? 0));
}
