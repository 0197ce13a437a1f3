import { useLocation } from "preact-iso";
import { withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded, useRows } from "../../api/loading.ts";
import { Code } from "../../kit/code.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { type Column, List, Table } from "../../kit/table.tsx";
import { Ago, count, Time } from "../../kit/values.tsx";
import { prettyJson } from "../webhooks/curl.ts";
import { adviceFor, type Group, grouped, type Reason } from "./reasons.ts";

type Event = Schemas["QuarantinedEvent"];

const PAGE = 100;
const MOST_PAGES = 5;

/** Events that were not counted: why, and what to change. */
export default function Quarantine() {
  const { url, query } = useLocation();
  const reason = query.reason as Reason | undefined;
  const events = useLoaded(readNewest, [], { every: 30 });
  const columns: Column<Group>[] = [
    {
      title: "What is wrong",
      isName: true,
      cell: (row) => (
        <>
          <a href={withQuery(url, { reason: row.reason })}>{adviceFor(row.reason).words}</a>
          <small class="soft">{row.reason}</small>
        </>
      ),
    },
    { title: "Events", isNumber: true, cell: (row) => count(row.count) },
    { title: "The newest", cell: (row) => <Ago at={row.newest} /> },
    { title: "What to change", cell: (row) => <span class="words">{adviceFor(row.reason).todo}</span> },
  ];
  return (
    <Page
      title="Quarantine"
      lead="Events of the last 14 days that could not be counted. Correct what sends them, and send them again under the same id."
    >
      <Shown of={events}>
        {(read) =>
          read.length ? (
            <>
              <Table caption="Reasons" columns={columns} rows={grouped(read)} keyOf={(row) => row.reason} />
              {read.length === PAGE * MOST_PAGES && (
                <p class="soft more">The newest {count(read.length)} events are counted here: there may be more.</p>
              )}
            </>
          ) : (
            <None />
          )
        }
      </Shown>
      {reason && <Samples reason={reason} />}
    </Page>
  );
}

async function readNewest(): Promise<Event[]> {
  const events: Event[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await data(api.GET("/analytics/quarantine", { params: { query: { limit: PAGE, cursor } } }));
    events.push(...answer.data);
    if (!answer.pagination.next_cursor) break;
    cursor = answer.pagination.next_cursor;
  }
  return events;
}

const COLUMNS: readonly Column<Event>[] = [
  { title: "Arrived", cell: (row) => <Time at={row.received_at} /> },
  { title: "Its id", cell: (row) => (row.event_id ? <code>{row.event_id}</code> : "–") },
  { title: "How it began", cell: (row) => <Code text={prettyJson(row.sample)} /> },
];

function Samples({ reason }: { reason: Reason }) {
  const { url } = useLocation();
  const rows = useRows(
    (cursor) => data(api.GET("/analytics/quarantine", { params: { query: { reason, limit: 20, cursor } } })),
    [reason],
  );
  const { words, todo } = adviceFor(reason);
  return (
    <Section title={words} lead={todo} actions={<a href={withQuery(url, { reason: "" })}>Close</a>}>
      <List
        caption={words}
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => `${row.received_at}${row.event_id}${row.sample}`}
        empty={<p class="soft">None of the last 14 days.</p>}
      />
    </Section>
  );
}

function None() {
  return (
    <Empty title="Every event was counted">
      <p>An event with a flaw would stand here for 14 days, with the reason and what to change.</p>
    </Empty>
  );
}
