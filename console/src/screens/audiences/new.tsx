import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form, TextField } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { AudienceField, NEW_AUDIENCE } from "../../kit/rules/audience.tsx";
import { cleaned } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";

/** A new audience. */
export default function NewAudience() {
  const [name, setName] = useState("");
  const [rules, setRules] = useState(NEW_AUDIENCE);
  const doing = useDoing();
  const { route } = useLocation();
  const create = async () => {
    const audience = await data(api.POST("/audiences", { body: { name, rules: cleaned(rules) } }));
    saved(audience, "Audience made");
    route(at("/audiences", audience.id));
  };
  return (
    <Page title="New audience" above={<a href={at("/audiences")}>Audiences</a>}>
      <Form doing={doing} submit="Make the audience" onSubmit={create} isDirty={name !== "" || rules !== NEW_AUDIENCE}>
        <TextField path="name" label="Name" required placeholder="New on phones" value={name} onChange={setName} />
        <AudienceField path="rules" value={rules} onChange={setRules} />
      </Form>
    </Page>
  );
}
