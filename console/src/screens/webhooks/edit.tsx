import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { notify } from "../../kit/toast.tsx";
import { type EventName, useEvents, WebhookFields } from "./fields.tsx";
import { shortened } from "./health.tsx";

const NAMES = { url: "address", events: "events" };

/** Change the address or the events of a webhook. */
export default function EditWebhook() {
  const webhook_id = useRoute().params.webhook_id ?? "";
  const events = useEvents();
  const webhook = useLoaded(
    () => data(api.GET("/webhooks/{webhook_id}", { params: { path: { webhook_id } } })),
    [webhook_id],
  );
  return (
    <Page
      title="Edit webhook"
      above={<a href={at("/webhooks", webhook_id)}>{webhook.data ? shortened(webhook.data.url) : "Webhook"}</a>}
    >
      <Shown of={webhook}>
        {(read) => <Shown of={events}>{(all) => <Entry loaded={webhook} read={read} events={all} />}</Shown>}
      </Shown>
    </Page>
  );
}

interface EntryProps {
  loaded: Loaded<Schemas["Webhook"]>;
  read: Schemas["Webhook"];
  events: Schemas["WebhookEvent"][];
}

function Entry({ loaded, read, events }: EntryProps) {
  const { route } = useLocation();
  const doing = useDoing();
  const edit = useEdit({ url: read.url, events: read.events });
  const save = async () => {
    const body = { ...edit.changed, events: edit.draft.events as EventName[] };
    const params = { path: { webhook_id: read.id }, header: ifMatch(read) };
    loaded.replace(await data(api.PATCH("/webhooks/{webhook_id}", { params, body })));
    notify("Saved.");
    route(at("/webhooks", read.id), true);
  };
  return (
    <Form doing={doing} onSubmit={save} submit="Save" isDirty={edit.isDirty}>
      <WebhookFields events={events} draft={edit.draft} set={edit.set} />
      <Conflict doing={doing} contested={edit.contested} reload={loaded.reload} names={NAMES} />
    </Form>
  );
}
