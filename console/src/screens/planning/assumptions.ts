import type { Schemas } from "../../api/client.ts";

type Input = Schemas["SampleSizeInput"];
export type Engine = NonNullable<Input["engine"]>;

/** What a test is sized for; all of it stands in the address. Shares are in percent, as people type them. */
export interface Assumptions {
  measure: "rate" | "mean";
  /** Percent. */
  rate: number | null;
  mean: number | null;
  sd: number | null;
  /** Percent. */
  change: number | null;
  daily: number | null;
  treatments: number | null;
  /** Percent. */
  power: number | null;
  /** Percent. */
  alpha: number | null;
  engine: Engine;
}

export const ENGINES: Record<Engine, string> = {
  fixed: "Once, at the planned end",
  group_sequential: "On planned days",
  sequential: "At any time",
};

const USUAL = { change: 10, treatments: 1 };

/** Return the assumptions in a query; nonsense is left out. */
export function assumptionsIn(query: Record<string, string | undefined>): Assumptions {
  const number = (name: string) => {
    const value = Number(query[name]);
    return query[name] && Number.isFinite(value) ? value : null;
  };
  return {
    measure: query.measure === "mean" ? "mean" : "rate",
    rate: number("rate"),
    mean: number("mean"),
    sd: number("sd"),
    change: number("change") ?? USUAL.change,
    daily: number("daily"),
    treatments: number("treatments") ?? USUAL.treatments,
    power: number("power"),
    alpha: number("alpha"),
    engine: query.engine && query.engine in ENGINES ? (query.engine as Engine) : "sequential",
  };
}

/** Return the query of assumptions. */
export function queryOf(assumptions: Assumptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(assumptions).map(([name, value]) => [name, value === null ? "" : String(value)]),
  );
}

/** Return the body of the request; what is empty is left to the shop's defaults. */
export function bodyOf(assumptions: Assumptions, engine: Engine): Input {
  const { measure, rate, mean, sd, change, daily, treatments, power, alpha } = assumptions;
  const share = (percent: number | null) => (percent === null ? undefined : Number((percent / 100).toPrecision(12)));
  const level = measure === "rate" ? { baseline_rate: share(rate) } : { mean: mean ?? undefined, sd: sd ?? undefined };
  return {
    ...level,
    mde: share(change) ?? Number.NaN,
    daily_visitors: daily ?? undefined,
    treatments: treatments ?? undefined,
    power: share(power),
    alpha: share(alpha),
    engine,
  } as Input;
}

/** Return whether there is enough to compute. */
export function isComplete({ measure, rate, mean, sd, change }: Assumptions): boolean {
  return change !== null && (measure === "rate" ? rate !== null : mean !== null && sd !== null);
}
