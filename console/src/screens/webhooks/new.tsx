import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { Secret } from "../../kit/secret.tsx";
import { Shown } from "../../kit/state.tsx";
import { type EventName, type Fields, useEvents, WebhookFields } from "./fields.tsx";

/** Make a webhook; its secret is shown once. */
export default function NewWebhook() {
  const events = useEvents();
  return (
    <Page title="New webhook" above={<a href={at("/webhooks")}>Webhooks</a>}>
      <Shown of={events}>{(all) => <Entry events={all} />}</Shown>
    </Page>
  );
}

function Entry({ events }: { events: Schemas["WebhookEvent"][] }) {
  const { route } = useLocation();
  const doing = useDoing();
  const [draft, setDraft] = useState<Fields>({ url: "", events: [] });
  const [created, setCreated] = useState<Schemas["WebhookCreated"] | null>(null);
  const create = async () => {
    const body = { url: draft.url.trim(), events: draft.events as EventName[] };
    setCreated(await data(api.POST("/webhooks", { body })));
  };
  return (
    <>
      <Form
        doing={doing}
        onSubmit={create}
        submit="Create webhook"
        isDirty={!created && (draft.url !== "" || draft.events.length > 0)}
      >
        <WebhookFields events={events} draft={draft} set={(part) => setDraft({ ...draft, ...part })} />
      </Form>
      {created && <WebhookSecret secret={created.secret} onClose={() => route(at("/webhooks", created.id), true)} />}
    </>
  );
}

/** The secret that the receiver checks signatures with. */
export function WebhookSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Secret title="Signing secret" secret={secret} onClose={onClose}>
      <p>
        Put it into the settings of your server. With it, your server checks the signature of each request, and so knows
        that it comes from us.
      </p>
    </Secret>
  );
}
