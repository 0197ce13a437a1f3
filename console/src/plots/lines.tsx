import { area, line } from "d3-shape";
import { useId, useState } from "preact/hooks";
import { Chip } from "./arm.tsx";
import { type Axis, axisOf, nearest, spread } from "./axis.ts";
import type { Tick } from "./time.ts";
import { useWidth } from "./width.ts";

export interface Point {
  y: number;
  lower?: number | null;
  upper?: number | null;
}

export interface Line {
  id: string;
  name: string;
  mark: string;
  colour: number;
  /** One for each place of the axis; null where there is none. */
  points: readonly (Point | null)[];
}

export interface Happening {
  at: number;
  text: string;
}

export interface LinesProps {
  title: string;
  /** The whole picture in a sentence, for those who do not see it. */
  description: string;
  /** Places on the horizontal axis, ascending. */
  xs: readonly number[];
  lines: readonly Line[];
  /** What a place is called in a reading. */
  place: (x: number, index: number) => string;
  /** What a point is called in a reading. */
  text: (point: Point) => string;
  ticks: (low: number, high: number, most: number) => Tick[];
  tick: (value: number, step: number) => string;
  /** Values that the vertical axis has to hold; those of the points where absent. */
  span?: readonly number[];
  hasZero?: boolean;
  marks?: readonly Happening[];
  /** Where the plan ends, on the same axis. */
  end?: Happening | null;
}

const TOP = 20;
const BOTTOM = 24;
const RIGHT = 26;
const CHARACTER = 6.9;

/** Lines over time, read by the pointer or by arrow keys. */
export function Lines(props: LinesProps) {
  const { xs, lines, marks = [], end = null } = props;
  const { ref, width } = useWidth();
  const [chosen, setChosen] = useState<number | null>(null);
  const id = useId();
  const last = xs.length - 1;
  const read = Math.min(chosen ?? last, last);
  const y = axisOf([...(props.span ?? lines.flatMap(valuesOf)), ...(props.hasZero ? [0] : [])]);
  const labels = y.ticks.map((value) => props.tick(value, y.step));
  const frame = frameOf(xs, end, y, width, Math.max(...labels.map((label) => label.length)) * CHARACTER + 10);
  const at = xs[read] ?? 0;
  const near = (clientX: number, box: DOMRect) => {
    const across = ((clientX - box.left) / box.width) * width;
    setChosen(nearest(xs.map(frame.x), across));
  };
  return (
    <div class="plot" ref={ref}>
      <div
        class="plot-area"
        onPointerMove={(event) => near(event.clientX, event.currentTarget.getBoundingClientRect())}
        onPointerDown={(event) => near(event.clientX, event.currentTarget.getBoundingClientRect())}
        onPointerLeave={() => setChosen(null)}
      >
        <svg
          viewBox={`0 0 ${width} ${frame.height}`}
          role="img"
          aria-labelledby={`${id}-t`}
          aria-describedby={`${id}-d`}
        >
          <title id={`${id}-t`}>{props.title}</title>
          <desc id={`${id}-d`}>{props.description}</desc>
          <clipPath id={`${id}-c`}>
            <rect x={frame.left} y={TOP - 6} width={frame.right - frame.left + 4} height={frame.bottom - TOP + 12} />
          </clipPath>
          {y.ticks.map((value, index) => (
            <g key={value}>
              <line class="grid" x1={frame.left} x2={frame.right} y1={frame.y(value)} y2={frame.y(value)} />
              <text class="tick" x={frame.left - 8} y={frame.y(value) + 4} text-anchor="end">
                {labels[index]}
              </text>
            </g>
          ))}
          {props.ticks(frame.low, frame.high, width < 460 ? 4 : 7).map(({ at: place, text }) => (
            <text key={place} class="tick" x={frame.x(place)} y={frame.bottom + 18} text-anchor={anchor(frame, place)}>
              {text}
            </text>
          ))}
          <Marks marks={marks} frame={frame} end={end} />
          {props.hasZero && <line class="zero" x1={frame.left} x2={frame.right} y1={frame.y(0)} y2={frame.y(0)} />}
          <g clip-path={`url(#${id}-c)`}>
            {lines.map((each) => (
              <Drawn key={each.id} line={each} xs={xs} frame={frame} />
            ))}
          </g>
          <Ends lines={lines} frame={frame} xs={xs} y={y} />
          {chosen !== null && (
            <g class="cursor">
              <line x1={frame.x(at)} x2={frame.x(at)} y1={TOP} y2={frame.bottom} />
              {lines.map((each) => {
                const point = each.points[read];
                return (
                  point && (
                    <circle
                      key={each.id}
                      class={`dot c${each.colour}`}
                      cx={frame.x(at)}
                      cy={frame.y(point.y)}
                      r={4.5}
                    />
                  )
                );
              })}
            </g>
          )}
        </svg>
        {last > 0 && (
          <input
            type="range"
            class="reader"
            min={0}
            max={last}
            value={read}
            aria-label={`Read ${props.title}`}
            aria-valuetext={readingText(props, read)}
            onFocus={() => setChosen(chosen ?? last)}
            onBlur={() => setChosen(null)}
            onInput={(event) => setChosen(event.currentTarget.valueAsNumber)}
          />
        )}
      </div>
      <Reading {...props} at={read} />
    </div>
  );
}

interface Frame {
  left: number;
  right: number;
  bottom: number;
  height: number;
  low: number;
  high: number;
  x: (value: number) => number;
  y: (value: number) => number;
}

function frameOf(xs: readonly number[], end: Happening | null, y: Axis, width: number, left: number): Frame {
  const low = xs[0] ?? 0;
  const high = Math.max(xs.at(-1) ?? 1, end?.at ?? Number.NEGATIVE_INFINITY);
  const right = width - RIGHT;
  const height = width < 460 ? 210 : 260;
  const bottom = height - BOTTOM;
  const across = high > low ? (value: number) => (value - low) / (high - low) : () => 0.5;
  return {
    left,
    right,
    bottom,
    height,
    low,
    high,
    x: (value) => left + across(value) * (right - left),
    y: (value) => bottom - y.place(value) * (bottom - TOP),
  };
}

function anchor(frame: Frame, place: number): "start" | "middle" | "end" {
  const across = (frame.x(place) - frame.left) / (frame.right - frame.left);
  return across < 0.06 ? "start" : across > 0.94 ? "end" : "middle";
}

function valuesOf(each: Line): number[] {
  return each.points.flatMap((point) => (point ? [point.y, point.lower ?? point.y, point.upper ?? point.y] : []));
}

type Placed = { x: number; point: Point | null };

function Drawn({ line: each, xs, frame }: { line: Line; xs: readonly number[]; frame: Frame }) {
  const placed: Placed[] = xs.map((x, index) => ({ x: frame.x(x), point: each.points[index] ?? null }));
  const hasBand = ({ point }: Placed) => typeof point?.lower === "number" && typeof point.upper === "number";
  const band = area<Placed>()
    .defined(hasBand)
    .x(({ x }) => x)
    .y0(({ point }) => frame.y(point?.lower ?? 0))
    .y1(({ point }) => frame.y(point?.upper ?? 0));
  const middle = line<Placed>()
    .defined(({ point }) => point !== null)
    .x(({ x }) => x)
    .y(({ point }) => frame.y(point?.y ?? 0));
  const only = placed.length === 1 && placed[0] && hasBand(placed[0]) ? placed[0] : null;
  return (
    <>
      {placed.some(hasBand) && <path class={`band c${each.colour}`} d={band(placed) ?? ""} />}
      {only?.point && (
        <line
          class={`whisker c${each.colour}`}
          x1={only.x}
          x2={only.x}
          y1={frame.y(only.point.lower ?? 0)}
          y2={frame.y(only.point.upper ?? 0)}
        />
      )}
      <path class={`line c${each.colour}`} d={middle(placed) ?? ""} />
    </>
  );
}

/** Dots at the ends of the lines stay on their values; the letters next to them move apart. */
function Ends({ lines, xs, frame, y }: { lines: readonly Line[]; xs: readonly number[]; frame: Frame; y: Axis }) {
  const ends = lines.flatMap((each) => {
    const index = each.points.findLastIndex((point) => point !== null);
    const point = each.points[index];
    return point ? [{ each, x: frame.x(xs[index] ?? 0), y: frame.y(Math.max(y.low, Math.min(y.high, point.y))) }] : [];
  });
  const places = spread(
    ends.map((end) => end.y),
    14,
    TOP,
    frame.bottom,
  );
  return (
    <>
      {ends.map((end, index) => (
        <g key={end.each.id}>
          <circle class={`dot c${end.each.colour}`} cx={end.x} cy={end.y} r={3.5} />
          <text class="mark" x={end.x + 8} y={(places[index] ?? 0) + 4}>
            {end.each.mark}
          </text>
        </g>
      ))}
    </>
  );
}

function Marks({ marks, frame, end }: { marks: readonly Happening[]; frame: Frame; end: Happening | null }) {
  const shown = marks.filter(({ at }) => at >= frame.low && at <= frame.high);
  return (
    <>
      {shown.map(({ at, text }) => (
        <g key={`${at}${text}`} class="happened">
          <title>{text}</title>
          <line x1={frame.x(at)} x2={frame.x(at)} y1={TOP - 4} y2={frame.bottom} />
          <path d={`M${frame.x(at) - 5} ${TOP - 12}h10l-5 8z`} />
        </g>
      ))}
      {end && (
        <g class="planned">
          <line x1={frame.x(end.at)} x2={frame.x(end.at)} y1={TOP - 6} y2={frame.bottom} />
          <text x={frame.x(end.at) - 5} y={TOP - 8} text-anchor="end">
            {end.text}
          </text>
        </g>
      )}
    </>
  );
}

/** What the cursor stands on, or the newest place: also the key of the lines. */
function Reading(props: LinesProps & { at: number }) {
  const { lines, xs, at } = props;
  return (
    <div class="reading">
      <span class="soft">{props.place(xs[at] ?? 0, at)}</span>
      <ul>
        {lines.map((each) => {
          const point = each.points[at];
          return (
            <li key={each.id}>
              <Chip arm={each} /> <bdi>{each.name}</bdi> <b>{point ? props.text(point) : "–"}</b>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Return a reading in words: the place, and the value of each line. */
export function readingText(props: LinesProps, at: number): string {
  const values = props.lines.map((each) => {
    const point = each.points[at];
    return `${each.name} ${point ? props.text(point) : "no value"}`;
  });
  return `${props.place(props.xs[at] ?? 0, at)}: ${values.join("; ")}`;
}
