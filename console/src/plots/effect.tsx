import type { Schemas } from "../api/client.ts";
import { count, percent } from "../kit/values.tsx";
import { Figure } from "./figure.tsx";
import { Lines } from "./lines.tsx";
import type { Sheet } from "./sheet.ts";

type Effect = Schemas["DetectableEffect"];

/** Effects of more than so many times the planned one would flatten the rest. */
const TALLEST = 4;

/** The smallest change that a test detects, by the day on which it ends; null without two days. */
export function EffectPlot({ effects, planned }: { effects: readonly Effect[]; planned: number | null }) {
  const shown = effectsShown(effects, planned);
  const first = shown[0];
  const last = shown.at(-1);
  if (!first || !last || shown.length < 2) return null;
  const title = "Detectable change by the length of the test";
  const description =
    `A test that ends after ${days(first.day)} finds changes of ${percent(first.mde, 1)}, ` +
    `and one that ends after ${days(last.day)} of ${percent(last.mde, 1)}, with the planned chance.`;
  return (
    <Figure title={title} lead={description} sheet={effectsSheet(effects)} file="detectable effect">
      <Lines
        title={title}
        description={description}
        xs={shown.map(({ day }) => day)}
        lines={[
          {
            id: "mde",
            name: "smallest change",
            mark: "",
            colour: 1,
            points: shown.map(({ mde }) => ({ y: mde })),
          },
        ]}
        place={(day, index) => `After ${days(day)}, ${count(shown[index]?.visitors)} visitors`}
        text={({ y }) => percent(y, 1)}
        ticks={dayTicks}
        tick={(value) => percent(value, value < 0.1 && value % 0.01 > 1e-9 ? 1 : 0)}
        hasZero
        end={planned ? endOf(shown, Math.abs(planned)) : null}
      />
    </Figure>
  );
}

/** Return the points without those that would flatten the curve. */
export function effectsShown(effects: readonly Effect[], planned: number | null): readonly Effect[] {
  return planned ? effects.filter(({ mde }) => mde <= TALLEST * Math.abs(planned)) : effects;
}

/** Return whole days or weeks of a test, at most `most`. */
export function dayTicks(low: number, high: number, most: number) {
  const step = [1, 2, 7, 14, 28, 56, 112].find((each) => (high - low) / each <= most - 1) ?? 364;
  const ticks = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push({ at, text: days(at) });
  return ticks;
}

function endOf(shown: readonly Effect[], planned: number) {
  const point = shown.find(({ mde }) => mde <= planned);
  return point ? { at: point.day, text: `planned: ${percent(planned, 1)}` } : null;
}

function effectsSheet(effects: readonly Effect[]): Sheet {
  return {
    columns: [
      { title: "Days", text: count },
      { title: "Visitors", text: count },
      { title: "Detectable change", text: (value) => percent(value, 1) },
    ],
    rows: effects.map(({ day, visitors, mde }) => [day, visitors, mde]),
  };
}

function days(value: number): string {
  return `${count(value)} day${value === 1 ? "" : "s"}`;
}
