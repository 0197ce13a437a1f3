import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { JsonField, readJson } from "../../kit/json.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";

type Evaluated = Schemas["EvaluatedFlag"];

const REASONS: Record<Evaluated["reason"], string> = {
  on: "The visitor is among those who get it.",
  paused: "The flag is paused.",
  dark: "Nobody gets it: its share of visitors is 0 %.",
  targeting: "Its rules do not include this visitor or this page.",
  rollout: "The visitor is not in the share of visitors who get it.",
};

/** What each flag says to one visitor, and why. */
export default function Tester() {
  const [visitor, setVisitor] = useState("visitor-1");
  const [url, setUrl] = useState("");
  const [environment, setEnvironment] = useState("production");
  const [attributes, setAttributes] = useState("{}");
  const [answer, setAnswer] = useState<Record<string, Evaluated> | null>(null);
  const doing = useDoing();
  const evaluate = async () => {
    const given = readJson("attributes", attributes || "{}") as Record<string, unknown>;
    const body = {
      visitor_id: visitor,
      environment_key: environment,
      attributes: { ...given, ...(url && { url }) },
    };
    setAnswer((await data(api.POST("/flags/evaluate", { body }))).flags);
  };
  return (
    <Page
      title="Who gets what"
      above={<a href={at("/flags")}>Flags</a>}
      lead="Ask what every active or paused flag says to one visitor. Nothing is counted."
    >
      <Form
        doing={doing}
        submit="Evaluate"
        onSubmit={evaluate}
        others={
          <button type="button" onClick={() => setVisitor(`visitor-${crypto.randomUUID().slice(0, 8)}`)}>
            Another visitor
          </button>
        }
      >
        <TextField path="visitor_id" label="Visitor" required value={visitor} onChange={setVisitor} />
        <TextField path="environment_key" label="Environment" required value={environment} onChange={setEnvironment} />
        <TextField path="attributes.url" label="Page" type="url" placeholder="https://" value={url} onChange={setUrl} />
        <JsonField
          path="attributes"
          label="What is known about the visitor"
          rows={3}
          hint={'For example {"country": "DE", "device": "mobile", "visits": 3}'}
          value={attributes}
          onChange={setAttributes}
        />
      </Form>
      {answer && (
        <Section title="What the visitor gets">
          <Answer flags={answer} />
        </Section>
      )}
    </Page>
  );
}

function Answer({ flags }: { flags: Record<string, Evaluated> }) {
  const rows = Object.entries(flags);
  if (!rows.length) {
    return (
      <Empty title="No flag is active or paused in this environment">
        <p>Drafts and archived flags have no value: your code gets its fallback.</p>
      </Empty>
    );
  }
  return (
    <Table
      caption="Values for this visitor"
      rows={rows}
      keyOf={([key]) => key}
      columns={[
        {
          title: "Flag",
          isName: true,
          cell: ([key]) => <code>{key}</code>,
        },
        {
          title: "On or off",
          cell: ([, { reason }]) => (
            <Badge tone={reason === "on" ? "good" : "plain"}>{reason === "on" ? "on" : "off"}</Badge>
          ),
        },
        { title: "Value", cell: ([, { value }]) => <code>{JSON.stringify(value)}</code> },
        { title: "Why", cell: ([, { reason }]) => REASONS[reason] },
      ]}
    />
  );
}
