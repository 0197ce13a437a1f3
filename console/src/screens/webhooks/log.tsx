import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { fromInput } from "../../kit/moments.ts";
import { Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { count, Time } from "../../kit/values.tsx";
import { shop } from "../../session/session.ts";
import { eventWords, useEvents } from "./fields.tsx";

type Delivery = Schemas["WebhookDelivery"];
type Query = NonNullable<Parameters<typeof readPage>[1]>;

const STATUSES: Record<Delivery["status"], { words: string; tone: "good" | "bad" | "warn" | "plain" }> = {
  queued: { words: "waits", tone: "plain" },
  processing: { words: "is being sent", tone: "plain" },
  delivered: { words: "arrived", tone: "good" },
  failed: { words: "to be tried again", tone: "warn" },
  dead: { words: "given up", tone: "bad" },
};

export function DeliveryStatus({ status }: { status: Delivery["status"] }) {
  const { words, tone } = STATUSES[status];
  return <Badge tone={tone}>{words}</Badge>;
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    title: "Event",
    isName: true,
    cell: (row) => (
      <>
        <a href={at("/webhooks", row.webhook_id, "deliveries", row.id)}>{eventWords(row.event)}</a>
        {row.test && <small class="soft">test</small>}
        {row.redelivery_of && <small class="soft">sent again</small>}
      </>
    ),
  },
  { title: "Status", cell: (row) => <DeliveryStatus status={row.status} /> },
  {
    title: "Answer",
    cell: (row) => (
      <>
        {row.response_status ?? "–"}
        {row.last_error && <small class="soft">{row.last_error}</small>}
      </>
    ),
  },
  { title: "Attempts", isNumber: true, cell: (row) => count(row.attempts) },
  { title: "Created", cell: (row) => <Time at={row.created_at} /> },
];

function readPage(
  webhook_id: string,
  query: { status?: Delivery["status"]; event?: Schemas["WebhookTestInput"]["event"]; since?: string; cursor?: string },
) {
  return data(api.GET("/webhooks/{webhook_id}/deliveries", { params: { path: { webhook_id }, query } }));
}

/** What a webhook was sent, newest first; the filters are in the address. */
export function Log({ webhook_id }: { webhook_id: string }) {
  const { url, query, route } = useLocation();
  const events = useEvents();
  const { status, event } = query as Query;
  const since = fromInput(query.since ?? "", shop.value?.timezone ?? "UTC") ?? undefined;
  const rows = useRows(
    (cursor) => readPage(webhook_id, { status, event, since, cursor }),
    [webhook_id, status, event, since],
    { every: 10 },
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  return (
    <Section title="Deliveries">
      <div class="filters">
        <select
          aria-label="Status"
          value={status ?? ""}
          onChange={(changed) => filter({ status: changed.currentTarget.value })}
        >
          <option value="">Every status</option>
          {Object.entries(STATUSES).map(([name, { words }]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
        <select
          aria-label="Event"
          value={event ?? ""}
          onChange={(changed) => filter({ event: changed.currentTarget.value })}
        >
          <option value="">Every event</option>
          {events.data?.map((each) => (
            <option key={each.event} value={each.event}>
              {eventWords(each.event)}
            </option>
          ))}
        </select>
        <input
          type="datetime-local"
          aria-label="Created since"
          title="Created since"
          value={query.since ?? ""}
          onChange={(changed) => filter({ since: changed.currentTarget.value })}
        />
      </div>
      <List
        caption="Deliveries"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={<None isFiltered={Boolean(status || event || since)} />}
      />
    </Section>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No delivery fits these filters" />;
  return (
    <Empty title="Nothing was sent yet">
      <p>A webhook gets events that happen after it was made. Send a test to see that your server answers.</p>
    </Empty>
  );
}
