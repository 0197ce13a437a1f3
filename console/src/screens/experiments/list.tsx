import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Rows, useRows } from "../../api/loading.ts";
import { Act } from "../../kit/act.tsx";
import { Menu } from "../../kit/menu.tsx";
import { Page } from "../../kit/page.tsx";
import { Person } from "../../kit/people.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago, percent, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { BULK, BulkBar } from "./bulk.tsx";
import { committed } from "./open.ts";
import { useOutcomes } from "./outcomes.ts";
import { ExperimentStatus } from "./status.tsx";
import { daysInWords, daysRun, KINDS, OUTCOMES, STATUSES, split, statusWords } from "./words.ts";

type Experiment = Schemas["Experiment"];

const PAUSE_MS = 300;
const SORTS = { "": "Changed last", "-created_at": "Newest", name: "Name" } as const;

interface Filters {
  status?: Experiment["status"];
  kind?: Experiment["counting_type"];
  archived?: "true" | "all";
  sort?: "-created_at" | "name";
  q?: string;
}

/** Return where a row leads: to the results of what visitors have seen, else to the design. */
function addressOfRow({ id, status }: Experiment): string {
  const hasResults = status === "running" || status === "paused" || status === "completed";
  return hasResults && may("analytics:read") ? at("/experiments", id, "results") : at("/experiments", id);
}

/** Every experiment of the shop; its filters are in the address. */
export default function Experiments() {
  const { url, query, route } = useLocation();
  const { status, kind, archived, sort, q } = query as Filters;
  const [word, setWord] = useState(q ?? "");
  const rows = useRows(
    (cursor) => {
      const wanted = { status, counting_type: kind, archived, q, cursor, sort: sort ?? "-updated_at" } as const;
      return data(api.GET("/experiments", { params: { query: wanted } }));
    },
    [status, kind, archived, sort, q],
  );
  const shown = useFiltered(rows, word, q, JSON.stringify([status, kind, archived, sort]));
  const filter = (values: Partial<Record<keyof Filters, string>>) => route(withQuery(url, values), true);
  useEffect(() => {
    if (word.trim() === (q ?? "")) return;
    const timer = setTimeout(() => filter({ q: word.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [word, url]);

  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const chosen = (shown.data ?? []).filter(({ id }) => ticked.has(id));
  const outcomes = useOutcomes(rows.data ?? []);
  const isFiltered = Boolean(status || kind || archived || word);
  return (
    <Page
      title="Experiments"
      actions={
        may("experiments:write") && (
          <a class="button primary" href={at("/experiments/new")}>
            New experiment
          </a>
        )
      }
    >
      <div class="filters many-filters">
        <input
          type="search"
          aria-label="Name contains"
          placeholder="Name"
          value={word}
          onInput={(event) => setWord(event.currentTarget.value)}
        />
        <Choice label="Status" value={status} all="Every status" onChange={(value) => filter({ status: value })}>
          {STATUSES.map((each) => [each, statusWords(each)])}
        </Choice>
        <Choice label="Kind" value={kind} all="Every kind" onChange={(value) => filter({ kind: value })}>
          {Object.entries(KINDS)}
        </Choice>
        <Choice label="Archived" value={archived} all="Not archived" onChange={(value) => filter({ archived: value })}>
          {[
            ["true", "Archived"],
            ["all", "With archived"],
          ]}
        </Choice>
        <Choice label="Order" value={sort} all={SORTS[""]} onChange={(value) => filter({ sort: value })}>
          {Object.entries(SORTS).filter(([value]) => value)}
        </Choice>
      </div>
      {chosen.length > 0 && (
        <BulkBar
          chosen={chosen}
          onDone={rows.reload}
          onClear={() => setTicked(new Set())}
          onAll={
            chosen.length < (shown.data?.length ?? 0) ? () => setTicked(new Set(shown.data?.map(({ id }) => id))) : null
          }
        />
      )}
      <List
        caption="Experiments"
        columns={columnsOf(ticked, setTicked, outcomes, rows.reload)}
        of={shown}
        keyOf={(row) => row.id}
        empty={isFiltered ? <NoMatch onClear={() => route(at("/experiments"), true)} /> : <None />}
      />
    </Page>
  );
}

/** Filter what is loaded at once, until the service answers for the word: also what was loaded without a word. */
function useFiltered(rows: Rows<Experiment>, word: string, q: string | undefined, others: string): Rows<Experiment> {
  const before = useRef<Experiment[] | null>(null);
  const whole = useRef<{ others: string; rows: Experiment[] }>({ others, rows: [] });
  if (rows.data) before.current = rows.data;
  if (rows.data && !q) whole.current = { others, rows: rows.data };
  const loaded = rows.data ?? (rows.problem ? null : before.current);
  const isAnswered = rows.data !== null && word.trim() === (q ?? "");
  const known = !isAnswered && whole.current.others === others ? whole.current.rows : [];
  return { ...rows, data: loaded && matching(loaded, known, word) };
}

/** Return the rows that a word names, those of the answer first. */
function matching(loaded: Experiment[], known: Experiment[], word: string): Experiment[] {
  const wanted = word.trim().toLowerCase();
  if (!wanted) return known.length > loaded.length ? known : loaded;
  const ids = new Set(loaded.map(({ id }) => id));
  const fits = ({ name, public_id, id }: Experiment) =>
    name.toLowerCase().includes(wanted) || public_id === wanted || id === wanted;
  return [...loaded, ...known.filter(({ id }) => !ids.has(id))].filter(fits);
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  all: string;
  onChange: (value: string) => void;
  children: readonly (readonly [string, string] | string[])[];
}

function Choice({ label, value, all, onChange, children }: ChoiceProps) {
  return (
    <select aria-label={label} value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{all}</option>
      {children.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}

function columnsOf(
  ticked: ReadonlySet<string>,
  setTicked: (ticked: ReadonlySet<string>) => void,
  outcomes: ReadonlyMap<string, string>,
  reload: () => Promise<void>,
): Column<Experiment>[] {
  const toggle = (id: string) => {
    const next = new Set(ticked);
    if (!next.delete(id)) next.add(id);
    setTicked(next);
  };
  const columns: Column<Experiment>[] = [
    {
      title: "Name",
      isName: true,
      cell: (row) => (
        <span class="ticked">
          <input
            type="checkbox"
            aria-label={`Choose ${row.name}`}
            checked={ticked.has(row.id)}
            onChange={() => toggle(row.id)}
          />
          <span>
            <a href={addressOfRow(row)}>{row.name}</a>
            {row.counting_type !== "standard" && <small class="soft">{KINDS[row.counting_type]}</small>}
          </span>
        </span>
      ),
    },
    { title: "Status", cell: (row) => <ExperimentStatus of={row} /> },
    { title: "Dates", cell: (row) => <Dates of={row} /> },
    { title: "Outcome", cell: (row) => outcomeOf(row, outcomes) },
    {
      title: "Traffic",
      isNumber: true,
      cell: (row) => (
        <>
          {percent(row.traffic_allocation, 0)}
          <small class="soft">{split(row.variations)}</small>
        </>
      ),
    },
    { title: "Owner", cell: (row) => <Person id={row.owner_user_id} /> },
  ];
  if (may("experiments:write")) columns.push({ title: "", cell: (row) => <RowMenu of={row} reload={reload} /> });
  return columns;
}

function Dates({ of }: { of: Experiment }) {
  const days = daysRun(of, Date.now());
  if (days === null)
    return of.scheduled_start_at ? (
      <>
        Starts <Time at={of.scheduled_start_at} />
      </>
    ) : (
      <span class="soft">
        Created <Ago at={of.created_at} />
      </span>
    );
  return (
    <>
      Since <Time at={of.started_at} />
      <small class="soft">{of.ended_at ? `Ran ${daysInWords(days)}` : `Day ${days + 1}`}</small>
    </>
  );
}

function outcomeOf({ id, status }: Experiment, outcomes: ReadonlyMap<string, string>) {
  if (status !== "completed") return "–";
  const outcome = outcomes.get(id);
  return outcome && outcome in OUTCOMES ? OUTCOMES[outcome as keyof typeof OUTCOMES] : "–";
}

function RowMenu({ of, reload }: { of: Experiment; reload: () => Promise<void> }) {
  const offered = BULK.filter(
    ({ verb, scope, fits }) => verb !== "Pause" && verb !== "Resume" && may(scope) && fits(of),
  );
  return (
    <Menu label="⋯" name={`More for ${of.name}`}>
      {offered.map(({ verb, done, run }) => (
        <Act
          key={verb}
          success={`${of.name} is ${done}.`}
          run={async () => {
            await committed(of.id, () => run(of.id));
            await reload();
          }}
        >
          {verb}
        </Act>
      ))}
    </Menu>
  );
}

function None() {
  return (
    <Empty
      title="No experiment yet"
      action={
        may("experiments:write") && (
          <a class="button primary" href={at("/experiments/new")}>
            New experiment
          </a>
        )
      }
    >
      <p>
        An experiment shows a change to a part of your visitors, and measures what it does: another headline, for
        example. It takes four short steps.
      </p>
    </Empty>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty
      title="No experiment fits"
      action={
        <button type="button" onClick={onClear}>
          Clear the filters
        </button>
      }
    >
      <p>Try another word, or look among the archived ones.</p>
    </Empty>
  );
}
