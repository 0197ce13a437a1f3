import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { count } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { duration, HealthBadge, shortened } from "./health.tsx";

interface Row {
  webhook: Schemas["Webhook"];
  stats: Schemas["WebhookStats"] | null;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Address",
    isName: true,
    cell: ({ webhook }) => <a href={at("/webhooks", webhook.id)}>{shortened(webhook.url)}</a>,
  },
  { title: "Health", cell: (row) => <HealthBadge {...row} /> },
  { title: "Events", isNumber: true, cell: ({ webhook }) => count(webhook.events.length) },
  { title: "Arrived in a day", isNumber: true, cell: ({ stats }) => count(stats?.counts.delivered) },
  { title: "Given up", isNumber: true, cell: ({ stats }) => count(stats?.counts.dead) },
  { title: "95 % within", isNumber: true, cell: ({ stats }) => duration(stats?.latency_ms.p95) },
];

/** The servers that are told what happens. A shop has at most twenty, so each can be read with its figures. */
export default function Webhooks() {
  const { url, query, route } = useLocation();
  const archived = query.archived === "true" ? "true" : "false";
  const loaded = useLoaded(() => read(archived), [archived], { every: 30 });
  return (
    <Page
      title="Webhooks"
      lead="A webhook tells a server of yours what happens here: a test that started, a winner, a test that was paused."
      actions={
        may("webhooks:write") && (
          <a class="button primary" href={at("/webhooks/new")}>
            New webhook
          </a>
        )
      }
    >
      <div class="filters">
        <select
          aria-label="Which webhooks"
          value={archived}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            route(withQuery(url, { archived: chosen === "true" ? "true" : "" }), true);
          }}
        >
          <option value="false">In use</option>
          <option value="true">Archived</option>
        </select>
      </div>
      <Shown of={loaded}>
        {(rows) =>
          rows.length ? (
            <Table caption="Webhooks" columns={COLUMNS} rows={rows} keyOf={({ webhook }) => webhook.id} />
          ) : (
            <None isArchive={archived === "true"} />
          )
        }
      </Shown>
    </Page>
  );
}

async function read(archived: "true" | "false"): Promise<Row[]> {
  const page = await data(api.GET("/webhooks", { params: { query: { archived, limit: 50 } } }));
  return Promise.all(
    page.data.map(async (webhook) => {
      const params = { path: { webhook_id: webhook.id } };
      const stats = await data(api.GET("/webhooks/{webhook_id}/stats", { params })).catch(() => null);
      return { webhook, stats };
    }),
  );
}

function None({ isArchive }: { isArchive: boolean }) {
  if (isArchive) return <Empty title="Nothing is archived" />;
  return (
    <Empty title="No webhook yet">
      <p>
        Give the address of a server, choose the events, and send it a test. Every delivery is signed and listed here,
        with the answer of your server.
      </p>
    </Empty>
  );
}
