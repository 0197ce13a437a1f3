import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { JsonField, readJson } from "../../kit/json.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { addressOf } from "./addresses.ts";

const EMPTY = {
  name: "",
  key: "",
  description: "",
  environment_key: "production",
  delivery_type: "visual",
  on: "true",
  off: "false",
  share: 100 as number | null,
  activate: false,
};

/** A new flag: name, values, and for how many visitors. */
export default function NewFlag() {
  const [typed, setTyped] = useState(EMPTY);
  const [isKeyTyped, setKeyTyped] = useState(false);
  const doing = useDoing();
  const { route } = useLocation();
  const set =
    <K extends keyof typeof EMPTY>(name: K) =>
    (value: (typeof EMPTY)[K]) =>
      setTyped((before) => ({ ...before, [name]: value }));
  const create = async () => {
    const { name, key, description, environment_key, delivery_type, on, off, share, activate } = typed;
    const body = {
      name,
      key,
      environment_key,
      delivery_type: delivery_type === "api" ? ("api" as const) : ("visual" as const),
      ...(description && { description }),
      on_value: readJson("on_value", on),
      off_value: readJson("off_value", off),
      ...(share !== null && { rollout_percentage: share / 100 }),
      activate,
    };
    const flag = saved(await data(api.POST("/flags", { body })), "Flag made");
    setTyped(EMPTY);
    route(addressOf(flag));
  };
  return (
    <Page title="New flag" above={<a href={at("/flags")}>Flags</a>}>
      <Form
        doing={doing}
        submit="Make the flag"
        onSubmit={create}
        isDirty={JSON.stringify(typed) !== JSON.stringify(EMPTY)}
      >
        <TextField
          path="name"
          label="Name"
          required
          value={typed.name}
          onChange={(name) => setTyped((before) => ({ ...before, name, key: isKeyTyped ? before.key : keyOf(name) }))}
        />
        <TextField
          path="key"
          label="Key"
          required
          hint="Your code reads the flag by this key: small letters, digits and hyphens."
          value={typed.key}
          onChange={(key) => {
            setKeyTyped(true);
            set("key")(key);
          }}
        />
        <TextField
          path="description"
          label="What it is for"
          rows={2}
          value={typed.description}
          onChange={set("description")}
        />
        <SelectField
          path="delivery_type"
          label="Where it is read"
          required
          value={typed.delivery_type}
          onChange={set("delivery_type")}
          options={[
            { value: "visual", label: "On pages of the shop, and on servers" },
            { value: "api", label: "On servers only" },
          ]}
        />
        <TextField
          path="environment_key"
          label="Environment"
          required
          hint="Visitors get production, unless another one is active in the settings."
          value={typed.environment_key}
          onChange={set("environment_key")}
        />
        <JsonField
          path="on_value"
          label="Value when it is on"
          required
          rows={2}
          hint={'true, 5, "a text" or {"any": "JSON"}'}
          value={typed.on}
          onChange={set("on")}
        />
        <JsonField
          path="off_value"
          label="Value when it is off"
          required
          rows={2}
          value={typed.off}
          onChange={set("off")}
        />
        <NumberField
          path="rollout_percentage"
          label="For how many visitors"
          unit="%"
          min={0}
          max={100}
          value={typed.share}
          onChange={set("share")}
        />
        <CheckField
          path="activate"
          label="Activate it at once"
          hint="Otherwise it is a draft, and nobody gets it."
          value={typed.activate}
          onChange={set("activate")}
        />
      </Form>
    </Page>
  );
}

/** Return a key for a name: "Wide gallery" is "wide-gallery". */
export function keyOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 100);
}
