import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Rows, useDoing, useRows } from "../../api/loading.ts";
import { countUnread, unread } from "../../frame/bell.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { More } from "../../kit/more.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Person } from "../../kit/people.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { attempt, notify } from "../../kit/toast.tsx";
import { Time } from "../../kit/values.tsx";
import { may, session } from "../../session/session.ts";

type Message = Schemas["InboxMessage"];

/** Messages of the service and of its operators, and answers to them. */
export default function Inbox() {
  const rows = useRows((cursor) => data(api.GET("/inbox/messages", { params: { query: { cursor } } })), [], {
    every: 30,
  });
  return (
    <Page
      title="Inbox"
      lead="What the service has to tell you, such as a paused experiment, and letters between you and those who operate it."
      actions={<ReadAll rows={rows} />}
    >
      {may("inbox:write") && <Write onSent={rows.reload} />}
      <Section title="Messages">
        <Shown of={rows}>
          {(messages) =>
            messages.length ? (
              <ul class="messages">
                {messages.map((message) => (
                  <Letter key={message.id} of={message} />
                ))}
              </ul>
            ) : (
              <Empty title="No message yet">
                <p>Findings of Guardian, approvals and webhooks that were switched off are told here.</p>
              </Empty>
            )
          }
        </Shown>
        <More of={rows} />
      </Section>
    </Page>
  );
}

function ReadAll({ rows }: { rows: Rows<Message> }) {
  const newest = rows.data?.[0];
  if (!newest || !unread.value?.unread) return null;
  const read = async () => {
    await data(api.PUT("/inbox/read", { body: { until: newest.id } }));
    await countUnread();
  };
  return (
    <button type="button" class="primary" onClick={() => void attempt(read)}>
      Mark all as read
    </button>
  );
}

/** Ids grow with time: what is behind the mark is unread, except what one wrote oneself. */
function isUnread({ id, sender_id }: Message): boolean {
  const mark = unread.value;
  if (!mark?.unread || sender_id === session.value?.user.id) return false;
  return mark.until === null || id > mark.until;
}

function Letter({ of }: { of: Message }) {
  const isNew = isUnread(of);
  return (
    <li class={isNew ? "unread" : undefined}>
      <strong>
        <Author of={of} />
      </strong>{" "}
      <span class="soft">
        <Time at={of.created_at} />
      </span>{" "}
      {isNew && <Badge tone="warn">new</Badge>}
      <p>{of.body}</p>
    </li>
  );
}

function Author({ of }: { of: Message }) {
  if (of.role === "system") return <>The service</>;
  if (of.role === "operator") return <>{of.sender_id ?? "An operator"}</>;
  return <Person id={of.sender_id} />;
}

function Write({ onSent }: { onSent: () => Promise<void> }) {
  const doing = useDoing();
  const [body, setBody] = useState("");
  const send = async () => {
    await data(api.POST("/inbox/messages", { body: { body: body.trim() } }));
    setBody("");
    notify("Sent.");
    await onSent();
  };
  return (
    <details>
      <summary>Write to the operators of the service</summary>
      <Form doing={doing} onSubmit={send} submit="Send" isDirty={body.trim() !== ""}>
        <TextField path="body" label="Message" value={body} onChange={setBody} rows={5} maxLength={10000} required />
      </Form>
    </details>
  );
}
