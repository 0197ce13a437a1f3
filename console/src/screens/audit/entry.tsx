import { useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Code } from "../../kit/code.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { ProofOf } from "./proof_of.tsx";
import { Who } from "./who.tsx";
import { type Line, linesOf, placeOf, thingOf, titleOf } from "./words.ts";

type Row = Schemas["AuditLog"];

const COLUMNS: readonly Column<Line>[] = [
  { title: "Field", isName: true, cell: ({ field }) => field },
  { title: "Before", cell: ({ before }) => <Value of={before} /> },
  { title: "After", cell: ({ after }) => <Value of={after} /> },
];

function Value({ of }: { of: string }) {
  return of.includes("\n") ? <Code text={of} /> : <span class="words">{of}</span>;
}

/** One change: who, what, before and after, and the proof that it is as it was written. */
export default function Entry() {
  const audit_log_id = useRoute().params.audit_log_id ?? "";
  const path = { audit_log_id };
  const loaded = useLoaded(() => data(api.GET("/audit-logs/{audit_log_id}", { params: { path } })), [audit_log_id]);
  const row = loaded.data;
  return (
    <Page title={row ? titleOf(row) : "Change"} above={<a href={at("/audit")}>Audit</a>}>
      <Shown of={loaded}>
        {(found) => (
          <>
            <Facts of={found} />
            <Changes of={found} />
            <ProofOf id={found.id} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function Facts({ of }: { of: Row }) {
  const place = placeOf(of.entity_type, of.entity_id);
  const name = of.entity_name ?? thingOf(of.entity_type);
  return (
    <dl class="facts">
      <dt>When</dt>
      <dd>
        <Time at={of.created_at} />
      </dd>
      <dt>Who</dt>
      <dd>
        <Who id={of.user_id} />
      </dd>
      <dt>What</dt>
      <dd>
        <code>{of.action}</code>
      </dd>
      <dt>Which</dt>
      <dd>
        {place ? <a href={at(place)}>{name}</a> : name} (
        <a href={`${at("/audit")}?entity_id=${of.entity_id}`}>all changes of it</a>)
      </dd>
    </dl>
  );
}

function Changes({ of }: { of: Row }) {
  const lines = linesOf(of.diff);
  return (
    <Section title="Before and after">
      {lines.length ? (
        <Table caption="Before and after" columns={COLUMNS} rows={lines} keyOf={({ field }) => field} />
      ) : (
        <p class="soft">No field was changed by it.</p>
      )}
    </Section>
  );
}
