import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { count, Time } from "../../kit/values.tsx";
import { sealDigest } from "./proof.ts";

type Seal = Schemas["AuditSeal"];

const COLUMNS: readonly Column<Seal>[] = [
  { title: "Day", isName: true, cell: (row) => row.date },
  { title: "Changes", isNumber: true, cell: (row) => count(row.size) },
  { title: "Sealed", cell: (row) => <Time at={row.sealed_at} /> },
  { title: "Seal", cell: (row) => <code class="words">{row.sha256}</code> },
];

/** The seals of the shop, one a night. Each names the one before it. */
export default function Seals() {
  const rows = useRows((cursor) => data(api.GET("/audit-logs/seals", { params: { query: { cursor } } })), []);
  const [verdict, setVerdict] = useState<string | null>(null);
  const verify = async () => setVerdict(await brokenIn(rows.data ?? []));
  return (
    <Page
      title="Seals"
      above={<a href={at("/audit")}>Audit</a>}
      lead="Keep the newest seal outside of this service, for example in a mail to yourself: with it, nobody can replace what came before."
      actions={
        rows.data?.length ? (
          <button type="button" onClick={() => void verify()}>
            Check the chain
          </button>
        ) : undefined
      }
    >
      {verdict !== null && (
        <p class={verdict ? "note bad" : "note good"} role="status">
          {verdict || "Each seal on this page is sound, and continues the one before it."}
        </p>
      )}
      <List
        caption="Seals"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.sha256}
        empty={
          <Empty title="No seal yet">
            <p>The first one is made in the night after the first change, at 02:00 UTC.</p>
          </Empty>
        }
      />
    </Page>
  );
}

/** Return what is wrong with seals, newest first; "" where each is sound and continues the next. */
async function brokenIn(seals: readonly Seal[]): Promise<string> {
  for (const [place, seal] of seals.entries()) {
    if ((await sealDigest(seal)) !== seal.sha256) return `The seal of ${seal.date} was changed.`;
    const before = seals[place + 1];
    if (before && seal.previous !== before.sha256)
      return `The seal of ${seal.date} does not continue the one before it.`;
  }
  return "";
}
