import type { Schemas } from "../../api/client.ts";
import { Status } from "../../kit/badge.tsx";
import { Section } from "../../kit/page.tsx";
import { Table } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";

/** The newest run: how far it is, and what it read. */
export function Run({ run }: { run: Schemas["StoreProfileRun"] }) {
  const { done, of, url } = run.progress;
  const isRunning = run.status === "queued" || run.status === "running";
  return (
    <Section
      title="Newest run"
      lead={
        <>
          <Status status={run.status} /> of {run.url}, <Ago at={run.completed_at ?? run.created_at} />
        </>
      }
    >
      {isRunning && (
        <>
          <progress max={Math.max(1, of)} value={done} aria-label="Pages that are read" />
          <p class="soft" role="status">
            {done} of {of} pages{url && `, now ${url}`}
          </p>
        </>
      )}
      {run.error && <p class="note bad">{run.error}</p>}
      {run.pages.length > 0 && (
        <details>
          <summary>{run.pages.length} pages</summary>
          <Table
            caption="Pages of the run"
            rows={run.pages}
            keyOf={(row) => row.url}
            columns={[
              { title: "Page", isName: true, cell: (row) => row.url },
              { title: "Kind", cell: (row) => row.kind },
              { title: "Answer", cell: (row) => row.problem ?? row.status ?? "–" },
            ]}
          />
        </details>
      )}
    </Section>
  );
}
