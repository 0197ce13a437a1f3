import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Rows, useRows } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { attempt } from "../../kit/toast.tsx";
import { Ago, count, Time } from "../../kit/values.tsx";
import { DATASETS, NewExport } from "./new_export.tsx";

type Export = Schemas["Export"];

const POLL_SECONDS = 3;
const GOES_ON: ReadonlySet<Export["status"]> = new Set(["queued", "running"]);

/** Files of events, exposures, results and changes: made in the background, kept for seven days. */
export default function Exports() {
  const { query } = useLocation();
  const rows = useRows((cursor) => data(api.GET("/exports", { params: { query: { cursor, limit: 50 } } })), []);
  useProgress(rows);
  return (
    <Page
      title="Exports"
      lead="Files of what the service knows, for a spreadsheet or your own analysis. They are kept for seven days."
    >
      <NewExport experimentId={query.experiment ?? ""} dataset={query.dataset} onMade={rows.reload} />
      <Section title="Made in the last 30 days">
        <List caption="Exports" columns={columns(rows)} of={rows} keyOf={({ id }) => id} empty={<None />} />
      </Section>
    </Page>
  );
}

/** Read again while one of the exports is being made. */
function useProgress(rows: Rows<Export>): void {
  const goesOn = rows.data?.some(({ status }) => GOES_ON.has(status)) ?? false;
  useEffect(() => {
    if (!goesOn) return;
    const timer = setInterval(() => document.visibilityState === "visible" && void rows.reload(), POLL_SECONDS * 1000);
    return () => clearInterval(timer);
  }, [goesOn]);
}

function columns(rows: Rows<Export>): readonly Column<Export>[] {
  const cancel = async (id: string) => {
    await attempt(
      () => data(api.POST("/exports/{export_id}/cancel", { params: { path: { export_id: id } } })),
      "The export is cancelled.",
    );
    await rows.reload();
  };
  return [
    {
      title: "What",
      isName: true,
      cell: (one) => (
        <>
          {DATASETS[one.dataset]} <small class="soft">{one.format}</small>
        </>
      ),
    },
    {
      title: "Period",
      cell: (one) => (
        <>
          <Time at={one.from} /> to <Time at={one.to} />
        </>
      ),
    },
    {
      title: "Status",
      cell: (one) => (
        <>
          <Status status={one.status} /> {one.status === "running" && `${one.progress}%`}
          {one.error && <small class="soft">{one.error}</small>}
        </>
      ),
    },
    { title: "Rows", isNumber: true, cell: ({ rows: number }) => count(number) },
    { title: "Made", cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "",
      cell: (one) =>
        one.url ? (
          <a class="button" href={one.url} download aria-label={`Download ${DATASETS[one.dataset].toLowerCase()}`}>
            Download
          </a>
        ) : (
          GOES_ON.has(one.status) && (
            <button
              type="button"
              onClick={() => void cancel(one.id)}
              aria-label={`Cancel ${DATASETS[one.dataset].toLowerCase()}`}
            >
              Cancel
            </button>
          )
        ),
    },
  ];
}

function None() {
  return (
    <Empty title="No exports yet">
      <p>Choose above what you need. A file of a million rows takes less than a minute.</p>
    </Empty>
  );
}
