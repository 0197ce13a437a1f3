import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Code } from "../../kit/code.tsx";
import { Form } from "../../kit/form.tsx";
import { JsonField, readJson } from "../../kit/json.tsx";
import { Section } from "../../kit/page.tsx";
import { money } from "../../kit/values.tsx";
import { inputOf, type TriggerDraft } from "./trigger_draft.ts";

type Result = Schemas["TriggerTest"];

/** Read a push as the trigger above would, saved or not. */
export function Tester({ draft, stored }: { draft: TriggerDraft; stored?: Schemas["DataLayerTrigger"] }) {
  const doing = useDoing();
  const [payload, setPayload] = useState(() => exampleFor(draft.eventName || "purchase"));
  const [result, setResult] = useState<Result | null>(null);
  const test = async () => {
    setResult(null);
    const body = { trigger: inputOf(draft, stored), payload: readJson("payload", payload) as never };
    setResult(await data(api.POST("/settings/data-layer-triggers/test", { body })));
  };
  return (
    <Section title="Try it" lead="Paste what a page pushes, and see what it becomes. Nothing is saved or counted.">
      <Form doing={doing} onSubmit={test} submit="Read this push">
        <JsonField path="payload" label="The push" value={payload} onChange={setPayload} rows={10} required />
        {result && <Outcome of={result} />}
      </Form>
    </Section>
  );
}

function Outcome({ of }: { of: Result }) {
  if (!of.matched) {
    return (
      <p class="note warn" role="status">
        It does not match: the event has another name, or a condition does not hold.
      </p>
    );
  }
  const { revenue } = of;
  return (
    <div class={of.errors.length ? "note warn" : "note good"} role="status">
      <p>It matches.</p>
      {revenue && (
        <p>
          Order {revenue.orderId ?? "without a number"}: {money(revenue.revenue, revenue.currency ?? undefined)}
        </p>
      )}
      {Object.keys(of.properties).length > 0 && <Code text={JSON.stringify(of.properties, null, 2)} />}
      {of.errors.length > 0 && (
        <ul class="rows bullets">
          {of.errors.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function exampleFor(event: string): string {
  const push = { event, ecommerce: { transaction_id: "T-1001", value: 49.9, currency: "EUR" } };
  return JSON.stringify(push, null, 2);
}
