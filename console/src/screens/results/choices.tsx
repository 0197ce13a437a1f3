import { useLocation } from "preact-iso";
import { withQuery } from "../../address.ts";
import { Choice, DayChoice } from "../../kit/choice.tsx";
import { DIMENSIONS, type Dimension, ENGINES, type Engine, type Report } from "./wording.ts";

/** What is chosen on the screen; all of it stands in the address, so that a link shows the same. */
export interface Choices {
  engine: Engine | null;
  goal: string | null;
  from: string | null;
  to: string | null;
  segment: string | null;
  by: Dimension;
  and: Dimension | null;
  isDaily: boolean;
}

/** Return the choices in a query; what the API would not know is left out. */
export function choicesIn(query: Record<string, string | undefined>): Choices {
  const day = (text: string | undefined) => (text && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null);
  const dimension = (text: string | undefined) => (text && text in DIMENSIONS ? (text as Dimension) : null);
  const by = dimension(query.by) ?? "device";
  const and = dimension(query.and);
  const segment =
    query.segment && dimension(query.segment.split(":")[0]) && query.segment.includes(":") ? query.segment : null;
  return {
    engine: query.engine && query.engine in ENGINES ? (query.engine as Engine) : null,
    goal: query.goal ?? null,
    from: day(query.from),
    to: day(query.to),
    segment,
    by,
    and: and === by ? null : and,
    isDaily: query.curve === "daily",
  };
}

/** Return whether the choices ask for other figures than those of the report. */
export function isNarrowed(choices: Choices): boolean {
  return Boolean(choices.engine || choices.from || choices.to || choices.segment);
}

/** Choose engine, days and segment: figures and forest follow, the verdict stays that of the report. */
export function ChoiceBar({ report, choices }: { report: Report; choices: Choices }) {
  const { url, route } = useLocation();
  const set = (values: Record<string, string>) => route(withQuery(url, values), true);
  const engines = (Object.keys(ENGINES) as Engine[]).filter(
    (engine) => engine !== "group_sequential" || report.planned_looks,
  );
  return (
    <div class="filters choices-bar">
      <Choice label="Engine">
        {(id) => (
          <select id={id} value={choices.engine ?? ""} onChange={(event) => set({ engine: event.currentTarget.value })}>
            <option value="">As the report: {report.engine.replace("_", "-")}</option>
            {engines.map((engine) => (
              <option key={engine} value={engine}>
                {ENGINES[engine]}
              </option>
            ))}
          </select>
        )}
      </Choice>
      <DayChoice label="First seen from" value={choices.from} onChange={(from) => set({ from })} />
      <DayChoice label="until" value={choices.to} onChange={(to) => set({ to })} />
      <Choice label="Visitors">
        {(id) => (
          <select
            id={id}
            value={choices.segment ?? ""}
            onChange={(event) => set({ segment: event.currentTarget.value })}
          >
            <option value="">All</option>
            <SegmentOptions report={report} chosen={choices.segment} />
          </select>
        )}
      </Choice>
      {isNarrowed(choices) && (
        <button type="button" onClick={() => set({ engine: "", from: "", to: "", segment: "" })}>
          Back to the report
        </button>
      )}
    </div>
  );
}

function SegmentOptions({ report, chosen }: { report: Report; chosen: string | null }) {
  const groups = report.segments.map(({ dimension, segments }) => ({
    dimension,
    values: segments.map(({ values }) => values[dimension]).filter((value): value is string => Boolean(value)),
  }));
  const isListed = groups.some(({ dimension, values }) => values.some((value) => `${dimension}:${value}` === chosen));
  return (
    <>
      {chosen && !isListed && <option value={chosen}>{chosen}</option>}
      {groups
        .filter(({ values }) => values.length)
        .map(({ dimension, values }) => (
          <optgroup key={dimension} label={DIMENSIONS[dimension]}>
            {values.map((value) => (
              <option key={value} value={`${dimension}:${value}`}>
                {value}
              </option>
            ))}
          </optgroup>
        ))}
    </>
  );
}
