import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form, TextField } from "../../kit/form.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { PageFields } from "../../kit/rules/page.tsx";
import type { PageDefinition } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";
import { bodyOf } from "./definition.ts";
import { AddressTester } from "./tester.tsx";

const EMPTY: PageDefinition = { includeRules: [{ type: "simple", pattern: "" }], excludeRules: [] };

/** A new page. */
export default function NewPage() {
  const [name, setName] = useState("");
  const [rules, setRules] = useState(EMPTY);
  const doing = useDoing();
  const { route } = useLocation();
  const create = async () => {
    const page = saved(await data(api.POST("/pages", { body: { name, ...bodyOf(rules) } })), "Page made");
    route(at("/pages", page.id));
  };
  return (
    <Page title="New page" above={<a href={at("/pages")}>Pages</a>}>
      <Form doing={doing} submit="Make the page" onSubmit={create} isDirty={name !== "" || rules !== EMPTY}>
        <TextField path="name" label="Name" required placeholder="Product pages" value={name} onChange={setName} />
        <PageFields path="" value={rules} onChange={setRules} />
      </Form>
      <Section title="Try an address" lead="Against what you typed above.">
        <AddressTester rules={rules} />
      </Section>
    </Page>
  );
}
