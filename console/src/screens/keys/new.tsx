import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { ManyField, SelectField } from "../../kit/choices.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { fromInput } from "../../kit/moments.ts";
import { Page } from "../../kit/page.tsx";
import { Secret } from "../../kit/secret.tsx";
import { may, shop } from "../../session/session.ts";
import { ALL_SCOPES, PRESETS, type Preset, SCOPES, type Scope } from "./scopes.ts";

type Rights = Preset | "tracking_source" | "chosen";
type Created = Schemas["ApiKeyCreated"];

interface Draft {
  name: string;
  rights: Rights;
  scopes: string[];
  expires: string;
}

const NOTHING: Draft = { name: "", rights: "read_only", scopes: [], expires: "" };
const HINTS: Record<Rights, string> = {
  ...(Object.fromEntries(Object.entries(PRESETS).map(([name, { words }]) => [name, words])) as Record<Preset, string>),
  tracking_source: "For a server that reports orders and other events. It can do nothing else.",
  chosen: "Tick what the program needs.",
};

/** Make a key; its secret is shown once. */
export default function NewKey() {
  const { route } = useLocation();
  const doing = useDoing();
  const [draft, setDraft] = useState(NOTHING);
  const [created, setCreated] = useState<Created | null>(null);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const create = async () => setCreated(await data(api.POST("/api-keys", { body: bodyOf(draft) })));
  const options = [
    ...Object.entries(PRESETS).map(([value, { title }]) => ({ value, label: title })),
    { value: "tracking_source", label: "Sends events only" },
    { value: "chosen", label: "Chosen one by one" },
  ];
  return (
    <Page title="New key" above={<a href={at("/keys")}>API keys</a>}>
      <Form doing={doing} onSubmit={create} submit="Create key" isDirty={!created && draft !== NOTHING}>
        <TextField
          path="name"
          label="Name"
          value={draft.name}
          onChange={(name) => set({ name })}
          placeholder="Reporting"
          maxLength={100}
          hint="The program or person that gets it."
          required
        />
        <SelectField
          path="preset"
          label="It may"
          value={draft.rights}
          onChange={(rights) => set({ rights: rights as Rights })}
          options={options}
          hint={HINTS[draft.rights]}
          required
        />
        {draft.rights === "chosen" && (
          <ManyField
            path="scopes"
            label="Rights"
            hint="You can give only what you may do yourself."
            value={draft.scopes}
            onChange={(scopes) => set({ scopes })}
            options={ALL_SCOPES.filter(may).map((value) => ({ value, label: SCOPES[value] }))}
          />
        )}
        <TextField
          path="expires_at"
          label="Expires"
          type="datetime-local"
          value={draft.expires}
          onChange={(expires) => set({ expires })}
          hint={`Empty: never. Clock of ${shop.value?.timezone ?? "UTC"}.`}
        />
      </Form>
      {created && <NewSecret created={created} onClose={() => route(at("/keys", created.id), true)} />}
    </Page>
  );
}

function bodyOf(draft: Draft): Schemas["ApiKeyCreate"] {
  const expires_at = fromInput(draft.expires, shop.value?.timezone ?? "UTC");
  const kind = draft.rights === "tracking_source" ? draft.rights : "shop";
  const shared = { kind, name: draft.name.trim(), ...(expires_at && { expires_at }) } as const;
  if (draft.rights === "tracking_source") return shared;
  if (draft.rights === "chosen") return { ...shared, scopes: draft.scopes as Scope[] };
  return { ...shared, preset: draft.rights };
}

export function NewSecret({ created, onClose }: { created: Created; onClose: () => void }) {
  return (
    <Secret title={`Secret of ${created.name}`} secret={created.secret} onClose={onClose}>
      <p>Whoever has it can do what the key may do. Put it where the program keeps its secrets, not into code.</p>
    </Secret>
  );
}
