import { useEffect, useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { count, percent } from "../../kit/values.tsx";

type Size = Schemas["SampleSize"];
type Input = Schemas["SampleSizeInput"];

/** What decides how many visitors an effect takes. */
export interface Circumstances {
  baseline_rate: number | null;
  daily_visitors: number | null;
  engine: NonNullable<Input["engine"]>;
  treatments: number;
  alpha?: number | undefined;
  power?: number | undefined;
}

const EFFECTS = [0.05, 0.1, 0.2, 0.3] as const;
const PAUSE_MS = 250;

interface EffectProps {
  value: number;
  onChange: (mde: number) => void;
  of: Circumstances;
  name?: string;
}

/** The smallest change worth finding, with the visitors and days that each choice takes. */
export function EffectChoice({ value, onChange, of, name = "mde" }: EffectProps) {
  const choices = EFFECTS.some((effect) => effect === value) ? [...EFFECTS] : [...EFFECTS, value].sort((a, b) => a - b);
  const sizes = useSizes(choices, of);
  return (
    <fieldset class="field effects">
      <legend>Smallest change worth finding</legend>
      <p class="hint">Smaller changes take longer to tell from chance.</p>
      {choices.map((effect) => {
        const size = sizes.get(effect);
        return (
          <label key={effect} class={effect === value ? "is-chosen" : undefined}>
            <input type="radio" name={name} checked={effect === value} onChange={() => onChange(effect)} />
            <span>
              {percent(effect, 0)}
              {of.baseline_rate !== null && (
                <small class="soft">
                  {percent(of.baseline_rate)} becomes {percent(of.baseline_rate * (1 + effect))}
                </small>
              )}
            </span>
            <span class="days">
              {size ? <Days of={size} /> : <span class="soft">{of.baseline_rate === null ? "–" : "…"}</span>}
            </span>
          </label>
        );
      })}
      {of.baseline_rate === null && <p class="hint">With the present rate, the days appear beside each choice.</p>}
    </fieldset>
  );
}

function Days({ of }: { of: Size }) {
  return (
    <>
      <strong>{of.recommended_days === null ? "–" : `${count(of.recommended_days)} days`}</strong>
      <small class="soft">{count(of.required_total_visitors)} visitors</small>
    </>
  );
}

/** Compute the sizes of several effects, a moment after the circumstances changed. */
export function useSizes(effects: readonly number[], of: Circumstances): ReadonlyMap<number, Size> {
  const [sizes, setSizes] = useState<ReadonlyMap<number, Size>>(new Map());
  const inputs = JSON.stringify([effects, of]);
  useEffect(() => {
    setSizes(new Map());
    const { baseline_rate, daily_visitors, alpha, power, ...rest } = of;
    if (!baseline_rate || baseline_rate >= 1) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      for (const mde of effects) {
        const body = {
          ...rest,
          mde,
          baseline_rate,
          ...(daily_visitors && { daily_visitors }),
          ...(alpha !== undefined && { alpha }),
          ...(power !== undefined && { power }),
        };
        data(api.POST("/sample-size", { body })).then(
          (size) => isCurrent && setSizes((before) => new Map(before).set(mde, size)),
          () => undefined,
        );
      }
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [inputs]);
  return sizes;
}
