import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Confirm, Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { fromInput, hoursAgo, toInput } from "../../kit/moments.ts";
import { NumberField } from "../../kit/number.tsx";
import { notify } from "../../kit/toast.tsx";
import { count } from "../../kit/values.tsx";
import { shop } from "../../session/session.ts";
import { type EventName, eventWords } from "./fields.tsx";
import { WebhookSecret } from "./new.tsx";

type Webhook = Schemas["Webhook"];
type Open = "test" | "recover" | "rotate" | "archive" | null;

interface Props {
  webhook: Webhook;
  onClose: () => void;
}

/** What can be done with a webhook. */
export function Actions({ webhook, loaded }: { webhook: Webhook; loaded: Loaded<Webhook> }) {
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { route } = useLocation();
  const close = () => setOpen(null);
  if (webhook.archived_at) return null;
  const archive = async () => {
    const params = { path: { webhook_id: webhook.id }, header: ifMatch(webhook) };
    await data(api.POST("/webhooks/{webhook_id}/archive", { params }));
    notify("Archived.");
    route(at("/webhooks"));
  };
  const switchOff = async () => {
    const params = { path: { webhook_id: webhook.id }, header: ifMatch(webhook) };
    loaded.replace(await data(api.PATCH("/webhooks/{webhook_id}", { params, body: { active: false } })));
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen("test")}>
        Send a test
      </button>
      <a class="button" href={at("/webhooks", webhook.id, "edit")}>
        Edit
      </a>
      <button type="button" onClick={() => setOpen("recover")}>
        Send what was missed
      </button>
      <button type="button" onClick={() => setOpen("rotate")}>
        New secret
      </button>
      <button type="button" class="harm" onClick={() => setOpen("archive")}>
        Archive
      </button>
      {open === "test" && <Test webhook={webhook} onClose={close} />}
      {open === "recover" && <Recover webhook={webhook} onClose={close} />}
      {open === "rotate" && (
        <Rotate
          webhook={webhook}
          onClose={close}
          onDone={(shown) => {
            close();
            setSecret(shown);
            void loaded.reload();
          }}
        />
      )}
      {open === "archive" && (
        <Confirm title="Archive this webhook?" verb="Archive" isHarmful onConfirm={archive} onClose={close}>
          <p>Nothing is sent to it any more, and what waits is given up. Its deliveries stay readable.</p>
          {webhook.active && (
            <p>
              To stop it for a while only,{" "}
              <button
                type="button"
                class="link"
                onClick={() => void switchOff().then(close, (thrown) => notify(String(thrown.message), "bad"))}
              >
                switch it off
              </button>
              .
            </p>
          )}
        </Confirm>
      )}
      {secret && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function Test({ webhook, onClose }: Props) {
  const doing = useDoing();
  const { route } = useLocation();
  const [event, setEvent] = useState(webhook.events[0] ?? "");
  const send = async () => {
    const params = { path: { webhook_id: webhook.id } };
    const body = event ? { event: event as EventName } : {};
    const sent = await data(api.POST("/webhooks/{webhook_id}/test", { params, body }));
    onClose();
    route(at("/webhooks", webhook.id, "deliveries", sent.id));
  };
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <Form doing={doing} onSubmit={send} submit="Send">
        <p>An example of the event goes to {webhook.url}, signed like any other, with "test": true in its body.</p>
        <SelectField
          path="event"
          label="Event"
          value={event}
          onChange={setEvent}
          options={webhook.events.map((value) => ({ value, label: eventWords(value) }))}
          required
        />
      </Form>
    </Dialog>
  );
}

const HOUR_BEFORE = 3_600_000;

function Recover({ webhook, onClose }: Props) {
  const doing = useDoing();
  const zone = shop.value?.timezone ?? "UTC";
  const outage = webhook.disabledAt && new Date(Date.parse(webhook.disabledAt) - HOUR_BEFORE).toISOString();
  const [since, setSince] = useState(toInput(outage || hoursAgo(24), zone));
  const recover = async () => {
    const params = { path: { webhook_id: webhook.id } };
    const body = { since: fromInput(since, zone) ?? since };
    let requeued = 0;
    for (;;) {
      const answer = await data(api.POST("/webhooks/{webhook_id}/recover", { params, body }));
      requeued += answer.requeued;
      if (!answer.has_more) break;
    }
    notify(requeued ? `${count(requeued)} deliveries are on their way again.` : "There was nothing to recover.");
    onClose();
  };
  return (
    <Dialog title="Recover what was missed" onClose={onClose}>
      <Form doing={doing} onSubmit={recover} submit="Recover">
        <p>
          Every delivery that was given up since then is sent again, with its old id: your server knows what it already
          has. It can be done for the last 14 days.
        </p>
        <TextField
          path="since"
          label={`Given up deliveries created since (${zone})`}
          type="datetime-local"
          value={since}
          onChange={setSince}
          hint="Choose a time before the outage."
          required
        />
      </Form>
    </Dialog>
  );
}

function Rotate({ webhook, onClose, onDone }: Props & { onDone: (secret: string) => void }) {
  const doing = useDoing();
  const [hours, setHours] = useState<number | null>(24);
  const rotate = async () => {
    const params = { path: { webhook_id: webhook.id }, header: ifMatch(webhook) };
    const body = { grace_seconds: Math.round((hours ?? 0) * 3600) };
    onDone((await data(api.POST("/webhooks/{webhook_id}/rotate-secret", { params, body }))).secret);
  };
  return (
    <Dialog title="New signing secret" onClose={onClose}>
      <Form doing={doing} onSubmit={rotate} submit="Make a new secret">
        <p>
          You get a new secret, shown once. Until the time below is over, each request has the signatures of both, so
          that nothing is refused while you change your server.
        </p>
        <NumberField
          path="grace_seconds"
          label="The old secret also signs for"
          value={hours}
          onChange={setHours}
          min={0}
          max={168}
          unit="hours"
          hint="0 where the old one has leaked: then it ends at once."
          required
        />
      </Form>
    </Dialog>
  );
}
