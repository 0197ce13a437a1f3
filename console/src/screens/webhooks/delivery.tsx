import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Act } from "../../kit/act.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Code } from "../../kit/code.tsx";
import { Copied } from "../../kit/copy.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { count, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { curlOf, prettyJson } from "./curl.ts";
import { eventWords } from "./fields.tsx";
import { duration } from "./health.tsx";
import { DeliveryStatus } from "./log.tsx";

type Delivery = Schemas["WebhookDeliveryDetail"];
type Attempt = Schemas["WebhookAttempt"];

/** One delivery: what was sent, each attempt, and what the server answered. */
export default function DeliveryScreen() {
  const { webhook_id = "", delivery_id = "" } = useRoute().params;
  const { route } = useLocation();
  const path = { webhook_id, delivery_id };
  const loaded = useLoaded(
    () => data(api.GET("/webhooks/{webhook_id}/deliveries/{delivery_id}", { params: { path } })),
    [webhook_id, delivery_id],
    { every: 3 },
  );
  const again = async () => {
    const sent = await data(
      api.POST("/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", { params: { path } }),
    );
    route(at("/webhooks", webhook_id, "deliveries", sent.id));
  };
  const read = loaded.data;
  return (
    <Page
      title={read ? eventWords(read.event) : "Delivery"}
      above={<a href={at("/webhooks", webhook_id)}>Webhook</a>}
      beside={read && <DeliveryStatus status={read.status} />}
      actions={
        read &&
        may("webhooks:write") && (
          <Act tone="primary" run={again} success="On its way again.">
            Send again
          </Act>
        )
      }
    >
      <Shown of={loaded}>
        {(delivery) => (
          <>
            <Facts delivery={delivery} />
            <Attempts of={delivery.attempt_log} />
            <Request delivery={delivery} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function Facts({ delivery }: { delivery: Delivery }) {
  return (
    <dl class="facts">
      <dt>Created</dt>
      <dd>
        <Time at={delivery.created_at} /> {delivery.test && <Badge>test</Badge>}
      </dd>
      <dt>Arrived</dt>
      <dd>{delivery.delivered_at ? <Time at={delivery.delivered_at} /> : "not yet"}</dd>
      {delivery.next_attempt_at && (
        <>
          <dt>Next attempt</dt>
          <dd>
            <Time at={delivery.next_attempt_at} />
          </dd>
        </>
      )}
      {delivery.last_error && (
        <>
          <dt>Last problem</dt>
          <dd>{delivery.last_error}</dd>
        </>
      )}
      {delivery.redelivery_of && (
        <>
          <dt>Sent again after</dt>
          <dd>
            <a href={at("/webhooks", delivery.webhook_id, "deliveries", delivery.redelivery_of)}>the first delivery</a>
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <code>{delivery.id}</code>
      </dd>
    </dl>
  );
}

const COLUMNS: readonly Column<Attempt>[] = [
  { title: "Attempt", isNumber: true, cell: (row) => count(row.n) },
  { title: "At", cell: (row) => <Time at={row.at} /> },
  {
    title: "Answer",
    cell: ({ status }) => (
      <Badge tone={status !== null && status >= 200 && status < 300 ? "good" : "bad"}>{status ?? "none"}</Badge>
    ),
  },
  { title: "Took", isNumber: true, cell: (row) => duration(row.duration_ms) },
  {
    title: "What it said",
    cell: (row) => (
      <>
        {row.error && <p>{row.error}</p>}
        {row.response_snippet && <Code text={row.response_snippet} />}
        {!row.error && !row.response_snippet && "–"}
      </>
    ),
  },
];

function Attempts({ of }: { of: Attempt[] }) {
  return (
    <Section title="Attempts">
      {of.length ? (
        <Table caption="Attempts" columns={COLUMNS} rows={[...of].reverse()} keyOf={(row) => String(row.n)} />
      ) : (
        <p class="soft">None yet. It is sent in a moment.</p>
      )}
    </Section>
  );
}

function Request({ delivery }: { delivery: Delivery }) {
  const { request } = delivery;
  if (!request) return null;
  return (
    <Section title="Request" lead="The newest one, as your server got it.">
      <p>
        <code>POST {request.url}</code>
      </p>
      <details open>
        <summary>Body</summary>
        <Code text={prettyJson(request.body)} />
      </details>
      <details>
        <summary>Headers</summary>
        <Code
          text={Object.entries(request.headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        />
      </details>
      <details>
        <summary>As curl, to send it to your server from a shell</summary>
        <Copied text={curlOf(request)} label="Copy as curl" />
      </details>
    </Section>
  );
}
