import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { LinesField, TextField } from "../../kit/form.tsx";
import { Shown } from "../../kit/state.tsx";
import { SettingForm, Settings } from "./common.tsx";

type Environment = Schemas["RuntimeEnvironmentInput"];

const NEW: Environment = { key: "", name: "", isDefault: false, subSnippetEnabled: false, domains: [] };
const MOST = 13;

/** The environments of the shop: which one shoppers get, and what the others are for. */
export default function EnvironmentsTab() {
  const loaded = useLoaded(() => data(api.GET("/settings/environments")), []);
  return (
    <Settings
      tab="/settings/environments"
      lead="A shop that is tried out on a copy, such as a staging server, gets an environment for it."
    >
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            toDraft={({ environments }) => environments}
            names={{ activeKey: "the active one", items: "the list" }}
            save={({ draft: environments }, { version: expected_version }) =>
              data(
                api.PATCH("/settings/environments", {
                  params: { header: ifMatch(read) },
                  body: { environments, expected_version },
                }),
              )
            }
          >
            {({ draft, set, generation }) => (
              <>
                <SelectField
                  path="environments.activeKey"
                  label="Shoppers get"
                  value={draft.activeKey}
                  onChange={(activeKey) => set({ activeKey })}
                  options={draft.items.map(({ key, name }) => ({ value: key, label: name || key || "(no name yet)" }))}
                  hint="Where the tag of a page names no environment."
                  required
                />
                <Items key={generation} items={draft.items} onChange={(items) => set({ items })} />
              </>
            )}
          </SettingForm>
        )}
      </Shown>
    </Settings>
  );
}

interface ItemsProps {
  items: readonly Environment[];
  onChange: (items: Environment[]) => void;
}

function Items({ items, onChange }: ItemsProps) {
  const [removed, setRemoved] = useState(0);
  const remove = (index: number) => {
    setRemoved(removed + 1);
    onChange(items.filter((_, place) => place !== index));
  };
  const change = (index: number, part: Partial<Environment>) =>
    onChange(items.map((item, place) => (place === index ? { ...item, ...part } : item)));
  return (
    <>
      {items.map((item, index) => (
        <fieldset key={`${removed}-${index}`} class="card form">
          <legend class="unseen">{item.name || "New environment"}</legend>
          <Item
            item={item}
            path={`environments.items.${index}`}
            onChange={(part) => change(index, part)}
            onRemove={items.length > 1 ? () => remove(index) : undefined}
          />
        </fieldset>
      ))}
      {items.length < MOST && (
        <p>
          <button type="button" onClick={() => onChange([...items, NEW])}>
            Add an environment
          </button>
        </p>
      )}
    </>
  );
}

interface ItemProps {
  item: Environment;
  path: string;
  onChange: (part: Partial<Environment>) => void;
  onRemove?: () => void;
}

function Item({ item, path, onChange, onRemove }: ItemProps) {
  return (
    <>
      <TextField
        path={`${path}.name`}
        label="Name"
        value={item.name}
        onChange={(name) => onChange({ name })}
        maxLength={80}
        required
      />
      <TextField
        path={`${path}.key`}
        label="Key"
        value={item.key}
        onChange={(key) => onChange({ key })}
        maxLength={48}
        hint="What code and rules call it: small letters, digits, - and _."
        required
      />
      <LinesField
        path={`${path}.domains`}
        label="Hosts"
        rows={2}
        value={item.domains}
        onChange={(domains) => onChange({ domains })}
        hint="One a line, without https://."
      />
      <CheckField
        path={`${path}.subSnippetEnabled`}
        label="Load it on these hosts by itself"
        hint="The tag of the active environment loads this one there; nothing has to be pasted."
        value={item.subSnippetEnabled}
        onChange={(subSnippetEnabled) => onChange({ subSnippetEnabled })}
      />
      <CheckField
        path={`${path}.isDefault`}
        label="Marked as the usual one"
        hint="For people; it changes nothing on the shop."
        value={item.isDefault}
        onChange={(isDefault) => onChange({ isDefault })}
      />
      {onRemove && (
        <p>
          <button type="button" class="link" onClick={onRemove}>
            Remove this environment
          </button>
        </p>
      )}
    </>
  );
}
