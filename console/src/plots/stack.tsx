import { useId } from "preact/hooks";
import { percent } from "../kit/values.tsx";

export interface Part {
  name: string;
  value: number;
  text: string;
}

/** Parts of a whole in one bar, each with its share in words below. */
export function Stack({ title, parts }: { title: string; parts: readonly Part[] }) {
  const id = useId();
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  const shares = parts.map(({ value }) => (whole > 0 ? value / whole : 0));
  const words = parts.map(({ name, text }, index) => `${name} ${text}, ${percent(shares[index], 1)}`);
  return (
    <div class="stack">
      <svg role="img" aria-labelledby={`${id}-t`} aria-describedby={`${id}-d`} width="100%" height="22">
        <title id={`${id}-t`}>{title}</title>
        <desc id={`${id}-d`}>{`${words.join("; ")}.`}</desc>
        {parts.map(({ name }, index) => (
          <rect
            key={name}
            class={`part c${index}`}
            x={`${100 * shares.slice(0, index).reduce((sum, share) => sum + share, 0)}%`}
            y={0}
            width={`${100 * (shares[index] ?? 0)}%`}
            height={22}
          />
        ))}
      </svg>
      <ul class="key">
        {parts.map(({ name, text }, index) => (
          <li key={name}>
            <span class={`swatch c${index}`} aria-hidden="true" /> {name} <b>{text}</b>{" "}
            <span class="soft">{percent(shares[index], 1)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How much of something is reached: a bar up to its mark, beyond it where more is reached. */
export function Reached({ title, description, share }: { title: string; description: string; share: number }) {
  const id = useId();
  const scale = Math.max(1, share);
  const planned = `${100 / scale}%`;
  return (
    <svg class="reached" role="img" aria-labelledby={`${id}-t`} aria-describedby={`${id}-d`} width="100%" height="24">
      <title id={`${id}-t`}>{title}</title>
      <desc id={`${id}-d`}>{description}</desc>
      <rect class="rail" x={0} y={4} width={planned} height={16} rx={3} />
      <rect class="done" x={0} y={4} width={`${(100 * share) / scale}%`} height={16} rx={3} />
      <line class="goal" x1={planned} x2={planned} y1={0} y2={24} />
    </svg>
  );
}
