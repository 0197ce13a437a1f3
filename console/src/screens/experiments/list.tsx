import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { inWords, Status } from "../../kit/badge.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";

type Experiment = Schemas["Experiment"];

const COLUMNS: readonly Column<Experiment>[] = [
  { title: "Name", isName: true, cell: (row) => <a href={at("/experiments", row.id)}>{row.name}</a> },
  { title: "Status", cell: (row) => <Status status={row.status} /> },
  { title: "Created", cell: (row) => <Ago at={row.created_at} /> },
];

const STATUSES = ["draft", "qa", "ready_to_launch", "running", "paused", "completed"] as const;

/** Every experiment of the shop; its filters are in the address. */
export default function Experiments() {
  const { url, query, route } = useLocation();
  const { status, q } = query as { status?: Experiment["status"]; q?: string };
  const rows = useRows(
    (cursor) => data(api.GET("/experiments", { params: { query: { status, q, cursor, sort: "-updated_at" } } })),
    [status, q],
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  return (
    <Page
      title="Experiments"
      actions={
        <a class="button primary" href={at("/experiments/new")}>
          New experiment
        </a>
      }
    >
      <div class="filters">
        <input
          type="search"
          aria-label="Name"
          placeholder="Name"
          value={q ?? ""}
          onChange={(event) => filter({ q: event.currentTarget.value })}
        />
        <select
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => filter({ status: event.currentTarget.value })}
        >
          <option value="">Every status</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {inWords(each)}
            </option>
          ))}
        </select>
      </div>
      <List caption="Experiments" columns={COLUMNS} of={rows} keyOf={(row) => row.id} empty={<None />} />
    </Page>
  );
}

function None() {
  return (
    <Empty title="No experiment yet">
      <p>An experiment shows a change of the shop to a part of its visitors, and measures what it does.</p>
    </Empty>
  );
}
