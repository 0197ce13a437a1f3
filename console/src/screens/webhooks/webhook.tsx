import { useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { Act } from "../../kit/act.tsx";
import { hoursAgo } from "../../kit/moments.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { count, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { Actions } from "./actions.tsx";
import { eventWords } from "./fields.tsx";
import { duration, HealthBadge, shortened } from "./health.tsx";
import { Log } from "./log.tsx";

type Webhook = Schemas["Webhook"];
const WEEK_HOURS = 7 * 24;

/** One webhook: how it does, what it was sent, and what can be done with it. */
export default function WebhookScreen() {
  const webhook_id = useRoute().params.webhook_id ?? "";
  const path = { webhook_id };
  const webhook = useLoaded(() => data(api.GET("/webhooks/{webhook_id}", { params: { path } })), [webhook_id], {
    every: 20,
  });
  const day = useLoaded(() => data(api.GET("/webhooks/{webhook_id}/stats", { params: { path } })), [webhook_id], {
    every: 20,
  });
  const read = webhook.data;
  return (
    <Page
      title={read ? shortened(read.url) : "Webhook"}
      above={<a href={at("/webhooks")}>Webhooks</a>}
      beside={read && <HealthBadge webhook={read} stats={day.data} />}
      actions={read && may("webhooks:write") && <Actions webhook={read} loaded={webhook} />}
    >
      <Shown of={webhook}>
        {(found) => (
          <>
            <Trouble webhook={found} loaded={webhook} />
            <Figures webhook_id={webhook_id} day={day} />
            <Section title="Events">
              <ul class="tools">
                {found.events.map((event) => (
                  <li key={event} class="badge">
                    {eventWords(event)}
                  </li>
                ))}
              </ul>
            </Section>
            <Log webhook_id={webhook_id} />
          </>
        )}
      </Shown>
    </Page>
  );
}

/** Say that an endpoint is off, since when, and how it is switched on again. */
function Trouble({ webhook, loaded }: { webhook: Webhook; loaded: Loaded<Webhook> }) {
  if (webhook.archived_at || webhook.active) return null;
  const enable = async () => {
    const params = { path: { webhook_id: webhook.id }, header: ifMatch(webhook) };
    loaded.replace(await data(api.PATCH("/webhooks/{webhook_id}", { params, body: { active: true } })));
  };
  return (
    <div class={webhook.disabledAt ? "note bad" : "note"}>
      {webhook.disabledAt ? (
        <p>
          Switched off on <Time at={webhook.disabledAt} />, after {count(webhook.consecutiveFailures)} deliveries in a
          row were given up. Send a test; once it arrives, switch the webhook on and recover what was missed since then.
        </p>
      ) : (
        <p>It is switched off: events that happen now are not sent.</p>
      )}
      {may("webhooks:write") && (
        <Act run={enable} success="Switched on.">
          Switch on
        </Act>
      )}
    </div>
  );
}

function Figures({ webhook_id, day }: { webhook_id: string; day: Loaded<Schemas["WebhookStats"]> }) {
  const week = useLoaded(
    () =>
      data(
        api.GET("/webhooks/{webhook_id}/stats", {
          params: { path: { webhook_id }, query: { since: hoursAgo(WEEK_HOURS) } },
        }),
      ),
    [webhook_id],
  );
  return (
    <div class="cards">
      <Period title="Last 24 hours" of={day} />
      <Period title="Last 7 days" of={week} />
    </div>
  );
}

function Period({ title, of }: { title: string; of: Loaded<Schemas["WebhookStats"]> }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <Shown of={of}>
        {({ counts, latency_ms, complete }) => (
          <>
            <dl class="figures">
              <Figure name="arrived" value={count(counts.delivered)} />
              <Figure name="under way" value={count(counts.queued + counts.processing)} />
              <Figure name="to be tried again" value={count(counts.failed)} />
              <Figure name="given up" value={count(counts.dead)} />
              {latency_ms.p50 !== null && <Figure name="half of them within" value={duration(latency_ms.p50)} />}
              {latency_ms.p95 !== null && <Figure name="95 % of them within" value={duration(latency_ms.p95)} />}
            </dl>
            {!complete && <p class="soft">Only the newest deliveries are counted: there were more.</p>}
          </>
        )}
      </Shown>
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
