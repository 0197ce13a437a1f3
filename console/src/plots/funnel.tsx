import { count, percent } from "../kit/values.tsx";

export interface Step {
  name: string;
  value: number;
}

/** Steps of a funnel as bars: how many reach each, and which share of the step before. */
export function Funnel({ steps }: { steps: readonly Step[] }) {
  const first = steps[0]?.value ?? 0;
  return (
    <ol class="funnel">
      {steps.map(({ name, value }, index) => {
        const before = steps[index - 1]?.value;
        const share = first > 0 ? value / first : 0;
        return (
          <li key={name}>
            <span class="step-name">{name}</span>
            <svg class="step" aria-hidden="true" width="100%" height="24">
              <rect class="rail" x={0} y={2} width="100%" height={20} rx={3} />
              <rect class="done" x={0} y={2} width={`${100 * share}%`} height={20} rx={3} />
            </svg>
            <b class="num">{count(value)}</b>
            <span class="soft">
              {before === undefined ? "100%" : `${percent(before > 0 ? value / before : null, 1)} of the step before`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
