import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { change } from "../kit/values.tsx";
import { forestEnds } from "./axis.ts";

export interface ForestRow {
  id: string;
  name: ComponentChildren;
  /** The name for those who do not see the picture. */
  label: string;
  value: number | null;
  interval: { lower: number; upper: number } | null;
  /** In words, next to the picture. */
  text: string;
  between: string;
  tone: "good" | "bad" | "warn" | "plain";
  beside?: ComponentChildren;
  said?: ComponentChildren;
}

export interface ForestGroup {
  id: string;
  title?: ComponentChildren;
  note?: ComponentChildren;
  rows: readonly ForestRow[];
}

interface Ends {
  low: number;
  high: number;
}

/** Lifts with their intervals on one axis: a block for each goal, a line for each treatment. */
export function Forest({ groups }: { groups: readonly ForestGroup[] }) {
  const ends = forestEnds(groups.flatMap(({ rows }) => rows.flatMap(({ interval }) => (interval ? [interval] : []))));
  return (
    <div class="forest">
      {groups.map(({ id, title, note, rows }) => (
        <div key={id} class="forest-goal">
          {title && <h3>{title}</h3>}
          {note && <p class="lead">{note}</p>}
          <ForestAxis ends={ends} />
          <ul>
            {rows.map((row) => (
              <li key={row.id} class="forest-row">
                <span class="who">{row.name}</span>
                <Strip row={row} ends={ends} />
                <b class="num">{row.text}</b>
                <span class="between">{row.between}</span>
                <span class="state">{row.beside}</span>
                {row.said && <span class="said">{row.said}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** One interval as a drawing; a wider one than the axis ends in an arrow. */
export function Strip({
  row,
  ends,
}: {
  row: Pick<ForestRow, "label" | "value" | "interval" | "text" | "between" | "tone">;
  ends: Ends;
}) {
  const id = useId();
  const { value, interval } = row;
  const at = (place: number) => `${(100 * placed(place, ends)).toFixed(2)}%`;
  return (
    <svg
      class={`strip ${row.tone}`}
      role="img"
      aria-labelledby={`${id}-t`}
      aria-describedby={`${id}-d`}
      width="100%"
      height="24"
    >
      <title id={`${id}-t`}>{`${row.label}: ${row.text}`}</title>
      <desc id={`${id}-d`}>{interval ? `Interval ${row.between}.` : "There is no interval yet."}</desc>
      {[ends.low, ends.low / 2, ends.high / 2, ends.high].map((place) => (
        <line key={place} class="grid" x1={at(place)} x2={at(place)} y1={0} y2={24} />
      ))}
      <line class="zero" x1={at(0)} x2={at(0)} y1={0} y2={24} />
      {interval && <line class="whisker" x1={at(interval.lower)} x2={at(interval.upper)} y1={12} y2={12} />}
      {interval && interval.lower < ends.low && ends.low > -1 && (
        <text class="beyond" x={0} y={16}>
          ◂
        </text>
      )}
      {interval && interval.upper > ends.high && (
        <text class="beyond" x="100%" y={16} text-anchor="end">
          ▸
        </text>
      )}
      {value !== null && value >= ends.low && value <= ends.high && (
        <circle class="estimate" cx={at(value)} cy={12} r={4.5} />
      )}
    </svg>
  );
}

function ForestAxis({ ends }: { ends: Ends }) {
  const digits = ends.high < 0.05 ? 1 : 0;
  const ticks = [
    { at: ends.low, anchor: "start" },
    { at: 0, anchor: "middle" },
    { at: ends.high, anchor: "end" },
  ] as const;
  return (
    <div class="forest-axis" aria-hidden="true">
      <svg aria-hidden="true" width="100%" height="18">
        {ticks.map(({ at, anchor }) => (
          <text key={anchor} class="tick" x={`${100 * placed(at, ends)}%`} y={12} text-anchor={anchor}>
            {change(at, at === 0 ? 0 : digits)}
          </text>
        ))}
      </svg>
    </div>
  );
}

/** Return a place on the axis as a share of its width; values beyond its ends are at the ends. */
function placed(value: number, { low, high }: Ends): number {
  return (Math.max(low, Math.min(high, value)) - low) / (high - low);
}
