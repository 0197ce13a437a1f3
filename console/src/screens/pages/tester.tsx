import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form, TextField } from "../../kit/form.tsx";
import type { PageDefinition } from "../../kit/rules/words.ts";

interface Props {
  rules: PageDefinition;
  /** A page that is saved; otherwise the rules as they are typed. */
  page_id?: string;
}

/** Whether an address is on a page, and why. */
export function AddressTester({ page_id, rules }: Props) {
  const [url, setUrl] = useState("");
  const [answer, setAnswer] = useState<Schemas["PageMatch"] | null>(null);
  const doing = useDoing();
  const match = async () => {
    setAnswer(null);
    // Triggers and conditions need a visitor: they are not part of the test.
    const { includeRules = [], excludeRules = [] } = rules;
    const tested = page_id ? { page_id } : { rules: { id: crypto.randomUUID(), includeRules, excludeRules } };
    setAnswer(await data(api.POST("/pages/match", { body: { url, ...tested } })));
  };
  return (
    <>
      <Form doing={doing} submit="Try it" onSubmit={match}>
        <TextField
          path="url"
          label="Address"
          type="url"
          required
          placeholder="https://shop.example/products/lamp"
          value={url}
          onChange={setUrl}
        />
      </Form>
      {answer && (
        <p class={`note ${answer.matched ? "good" : "warn"}`} role="status">
          <strong>{answer.matched ? "On this page." : "Not on this page."}</strong> {withPatterns(answer.reason, rules)}
        </p>
      )}
    </>
  );
}

/** Return a reason with the pattern in the place of its path: `excludeRules[0] excludes it`. */
function withPatterns(reason: string, rules: PageDefinition): string {
  return reason.replaceAll(/(includeRules|excludeRules)\[(\d+)\]/g, (path, list: "includeRules", index) => {
    return rules[list]?.[Number(index)]?.pattern ?? path;
  });
}
