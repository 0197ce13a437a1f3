import { line } from "d3-shape";
import { useId } from "preact/hooks";

const WIDTH = 120;
const HEIGHT = 28;
const EDGE = 3;

/** A small line without axes: how a figure moved, in words for those who do not see it. */
export function Spark({ title, values }: { title: string; values: readonly number[] }) {
  const id = useId();
  const points = sparkPoints(values);
  const last = points.at(-1);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id}>
      <title id={id}>{title}</title>
      <path class="line c1" d={line()(points) ?? ""} />
      {last && <circle class="dot c1" cx={last[0]} cy={last[1]} r={2.5} />}
    </svg>
  );
}

/** Return the places of the values, evenly apart from left to right; equal ones are in the middle. */
export function sparkPoints(values: readonly number[]): [number, number][] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const across = (index: number) => EDGE + ((WIDTH - 2 * EDGE) * index) / Math.max(1, values.length - 1);
  const down = (value: number) =>
    high > low ? HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (value - low)) / (high - low) : HEIGHT / 2;
  return values.map((value, index) => [across(index), down(value)]);
}
