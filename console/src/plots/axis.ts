import { scaleLinear } from "d3-scale";

/** An axis of numbers: `place` returns 0 at its low end and 1 at its high one, beyond them too. */
export interface Axis {
  low: number;
  high: number;
  ticks: readonly number[];
  step: number;
  place: (value: number) => number;
}

/** Return an axis with round ends around the values; equal ones are moved apart. */
export function axisOf(values: Iterable<number>, about = 4): Axis {
  const finite = [...values].filter(Number.isFinite);
  let low = finite.length ? Math.min(...finite) : 0;
  let high = finite.length ? Math.max(...finite) : 1;
  // Steps of values closer than this would be lost in the rounding of the ticks.
  if (!(high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high)))) {
    const room = Math.abs(low) * 0.1;
    low -= room;
    high += room || 1;
  }
  const scale = scaleLinear([low, high], [0, 1]).nice(about);
  const ticks = scale.ticks(about);
  const [first = low, last = high] = scale.domain();
  const step = ticks.length > 1 ? (ticks[1] ?? 0) - (ticks[0] ?? 0) : last - first;
  return { low: first, high: last, ticks, step, place: (value) => scale(value) };
}

/** Return the fewest decimal digits that show a step of an axis exactly, or `most`. */
export function digitsOf(step: number, most = 5): number {
  for (let digits = 0; digits < most; digits++)
    if (Math.abs(Number(step.toFixed(digits)) - step) < 1e-9 * Math.max(1, Math.abs(step))) return digits;
  return most;
}

const ENDS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const LEAST_REACH = 0.01;
const MOST_TIMES_MEDIAN = 3;

interface Ends {
  lower: number;
  upper: number;
}

/**
 * Return the axis of a forest of lifts: alike on both sides of zero, but never below -1, as nothing can lose more than all.
 * A few very wide intervals do not extend it: they end in arrows.
 */
export function forestEnds(intervals: readonly Ends[]): { low: number; high: number } {
  const ends = intervals.map(({ lower, upper }) => Math.max(Math.abs(lower), Math.abs(upper))).sort((a, b) => a - b);
  if (!ends.length) return { low: -0.1, high: 0.1 };
  const half = ends.length / 2;
  const median = ((ends[Math.ceil(half) - 1] ?? 0) + (ends[Math.floor(half)] ?? 0)) / 2;
  const widest = ends.at(-1) ?? 0;
  const reach = roundUp(Math.max(LEAST_REACH, Math.min(widest, MOST_TIMES_MEDIAN * median)));
  return { low: Math.max(-1, -reach), high: reach };
}

/** Return the next round number: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 at its power of ten. */
export function roundUp(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const end = ENDS.find((each) => each * power >= size * (1 - 1e-9)) ?? 10;
  return Number((end * power).toPrecision(6));
}

/** Return positions as near as possible to the given ones, in their order, `gap` apart where there is room. */
export function spread(positions: readonly number[], gap: number, low: number, high: number): number[] {
  const order = positions.map((_, index) => index).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const apart = Math.min(gap, (high - low) / Math.max(1, positions.length - 1));
  const placed = [...positions];
  let floor = low;
  for (const index of order) {
    placed[index] = floor = Math.max(positions[index] ?? 0, floor);
    floor += apart;
  }
  // Back from the end, because the first pass may have pushed the last ones beyond it.
  let ceiling = high;
  for (const index of order.reverse()) {
    placed[index] = ceiling = Math.min(placed[index] ?? 0, ceiling);
    ceiling -= apart;
  }
  return placed;
}

/** Return the index of the value nearest to `wanted` in ascending values; -1 without any. */
export function nearest(values: readonly number[], wanted: number): number {
  let low = 0;
  let high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < wanted) low = middle;
    else high = middle;
  }
  if (high < 0) return -1;
  return Math.abs((values[low] ?? 0) - wanted) <= Math.abs((values[high] ?? 0) - wanted) ? low : high;
}
