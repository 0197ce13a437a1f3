import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Page } from "../../kit/page.tsx";
import { cleanedTargeting, TargetingField, useLibrary } from "../../kit/rules/targeting.tsx";
import type { Targeting } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { keyOf } from "../flags/new.tsx";
import { DELIVERIES, type Delivery } from "./settings.tsx";

const EMPTY = {
  name: "",
  key: "",
  delivery_type: "visual" as Delivery,
  surface: "global",
  share: 100 as number | null,
};

/** A new personalization: a draft; its experience is filled in on its own screen. */
export default function NewPersonalization() {
  const [typed, setTyped] = useState(EMPTY);
  const [targeting, setTargeting] = useState<Targeting | null>(null);
  const doing = useDoing();
  const library = useLibrary();
  const { route } = useLocation();
  const change = (changed: Partial<typeof EMPTY>) => setTyped((before) => ({ ...before, ...changed }));
  const create = async () => {
    const { share, ...fields } = typed;
    const body = {
      ...fields,
      targeting: cleanedTargeting(targeting),
      ...(share !== null && { rollout_percentage: share / 100 }),
    };
    const made = saved(await data(api.POST("/personalizations", { body })), "Personalization made");
    route(at("/personalizations", made.id));
  };
  return (
    <Page title="New personalization" above={<a href={at("/personalizations")}>Personalizations</a>}>
      <Form doing={doing} submit="Make a draft" onSubmit={create} isDirty={typed !== EMPTY || targeting !== null}>
        <TextField
          path="name"
          label="Name"
          required
          value={typed.name}
          onChange={(name) => change(typed.key === keyOf(typed.name) ? { name, key: keyOf(name) } : { name })}
        />
        <TextField path="key" label="Key" required value={typed.key} onChange={(key) => change({ key })} />
        <SelectField
          path="delivery_type"
          label="What it delivers"
          required
          value={typed.delivery_type}
          options={DELIVERIES}
          onChange={(next) => change({ delivery_type: next as Delivery })}
        />
        <TextField
          path="surface"
          label="Place"
          required
          hint="One personalization is shown on each place, such as home-hero; several on global."
          value={typed.surface}
          onChange={(surface) => change({ surface })}
        />
        <NumberField
          path="rollout_percentage"
          label="For how many of these visitors"
          unit="%"
          min={0}
          max={100}
          value={typed.share}
          onChange={(share) => change({ share })}
        />
        <Shown of={library}>
          {(known) => <TargetingField path="targeting" value={targeting} onChange={setTargeting} library={known} />}
        </Shown>
      </Form>
    </Page>
  );
}
