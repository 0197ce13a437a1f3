import { useLocation } from "preact-iso";
import { withQuery } from "../../address.ts";
import { DayChoice } from "../../kit/choice.tsx";

export interface Period {
  from?: string;
  to?: string;
}

/** Return the days in the query that are days. */
export function periodIn(query: Record<string, string | undefined>): Period {
  const day = (text: string | undefined) => (text && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined);
  return { from: day(query.from), to: day(query.to) };
}

/** Choose the first and the last day; they stand in the address. */
export function PeriodBar({ period, usual }: { period: Period; usual: string }) {
  const { url, route } = useLocation();
  const set = (values: Record<string, string>) => route(withQuery(url, values), true);
  return (
    <div class="filters choices-bar">
      <DayChoice label="From" value={period.from} onChange={(from) => set({ from })} />
      <DayChoice label="until" value={period.to} onChange={(to) => set({ to })} />
      {period.from || period.to ? (
        <button type="button" onClick={() => set({ from: "", to: "" })}>
          {usual}
        </button>
      ) : (
        <p class="soft">{usual}</p>
      )}
    </div>
  );
}
