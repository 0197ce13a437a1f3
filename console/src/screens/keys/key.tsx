import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { fromInput, toInput } from "../../kit/moments.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { notify } from "../../kit/toast.tsx";
import { Ago, Time } from "../../kit/values.tsx";
import { may, shop } from "../../session/session.ts";
import { Revoke, Rotate } from "./actions.tsx";
import { KeyState, shownPart } from "./list.tsx";
import { NewSecret } from "./new.tsx";
import { SCOPES } from "./scopes.ts";

type ApiKey = Schemas["ApiKey"];

/** One key: what it may do, when it was used, and its end. */
export default function KeyScreen() {
  const key_id = useRoute().params.key_id ?? "";
  const loaded = useLoaded(() => data(api.GET("/api-keys/{key_id}", { params: { path: { key_id } } })), [key_id]);
  const [open, setOpen] = useState<"rotate" | "revoke" | null>(null);
  const [created, setCreated] = useState<Schemas["ApiKeyCreated"] | null>(null);
  const key = loaded.data;
  const close = () => setOpen(null);
  const canChange = key && !key.revoked_at && may("keys:write");
  return (
    <Page
      title={key?.name ?? "API key"}
      above={<a href={at("/keys")}>API keys</a>}
      beside={key && <KeyState of={key} />}
      actions={
        canChange && (
          <>
            {!key.rotated_to && (
              <button type="button" onClick={() => setOpen("rotate")}>
                Replace
              </button>
            )}
            <button type="button" class="harm" onClick={() => setOpen("revoke")}>
              Revoke
            </button>
          </>
        )
      }
    >
      <Shown of={loaded}>
        {(read) => (
          <>
            <Facts of={read} />
            {canChange && <Entry key={read.id} read={read} loaded={loaded} />}
            <Rights of={read} />
          </>
        )}
      </Shown>
      {key && open === "rotate" && (
        <Rotate
          of={key}
          onClose={close}
          onDone={(answer) => {
            close();
            setCreated(answer);
            void loaded.reload();
          }}
        />
      )}
      {key && open === "revoke" && <Revoke of={key} onClose={close} onDone={loaded.replace} />}
      {created && <NewSecret created={created} onClose={() => setCreated(null)} />}
    </Page>
  );
}

function Facts({ of }: { of: ApiKey }) {
  return (
    <dl class="facts">
      <dt>Key</dt>
      <dd>
        <code>{shownPart(of)}</code>
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={of.created_at} />
      </dd>
      <dt>Last used</dt>
      <dd>
        <Ago at={of.last_used_at} />
      </dd>
      <dt>Expires</dt>
      <dd>{of.expires_at ? <Time at={of.expires_at} /> : "never"}</dd>
      {of.revoked_at && (
        <>
          <dt>Revoked</dt>
          <dd>
            <Time at={of.revoked_at} />
          </dd>
        </>
      )}
      {of.rotated_to && (
        <>
          <dt>Replaced by</dt>
          <dd>
            <a href={at("/keys", of.rotated_to)}>its successor</a>
          </dd>
        </>
      )}
    </dl>
  );
}

const NAMES = { name: "name", expires: "expiry" };

function Entry({ read, loaded }: { read: ApiKey; loaded: Loaded<ApiKey> }) {
  const doing = useDoing();
  const zone = shop.value?.timezone ?? "UTC";
  const { draft, set, changed, isDirty, contested } = useEdit({
    name: read.name,
    expires: toInput(read.expires_at, zone),
  });
  const save = async () => {
    const body = {
      ...("name" in changed && { name: draft.name.trim() }),
      ...("expires" in changed && { expires_at: fromInput(draft.expires, zone) }),
    };
    const params = { path: { key_id: read.id }, header: ifMatch(read) };
    loaded.replace(await data(api.PATCH("/api-keys/{key_id}", { params, body })));
    notify("Saved.");
  };
  return (
    <Section title="Name and end">
      <Form doing={doing} onSubmit={save} submit="Save" isDirty={isDirty}>
        <TextField
          path="name"
          label="Name"
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={100}
          required
        />
        <TextField
          path="expires_at"
          label="Expires"
          type="datetime-local"
          value={draft.expires}
          onChange={(expires) => set({ expires })}
          hint={`Empty: never. Clock of ${zone}.`}
        />
        <Conflict doing={doing} contested={contested} reload={loaded.reload} names={NAMES} />
      </Form>
    </Section>
  );
}

function Rights({ of }: { of: ApiKey }) {
  return (
    <Section title="What it may do">
      {of.kind === "tracking_source" ? (
        <p>Send events of the shop, nothing else.</p>
      ) : (
        <ul class="choices">
          {of.scopes.map((scope) => (
            <li key={scope}>{SCOPES[scope] ?? scope}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}
