import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { Badge, Status } from "../../kit/badge.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { LandingFrame } from "./frame.tsx";
import { checkInWords, type LandingPage, labelInWords, numberOf, windowInWords } from "./words.ts";

type Run = Schemas["LandingPageQaRun"];

interface Finding {
  check: string;
  severity: "error" | "warn";
  viewport: Schemas["QaViewport"] | null;
  message: string;
}

interface Picture {
  public_url: string;
  width: number;
  height: number;
}

/** Runs that check a version in a real browser, and what people decided. */
export default function QaRuns() {
  const isLive = (page: LandingPage) => page.qa_runs.some(({ status }) => status === "queued" || status === "running");
  return (
    <LandingFrame current="qa" isLive={isLive}>
      {(page, of) => (
        <>
          {may("landing_pages:write") && page.current_version_id && (
            <p class="tools buttons">
              <Verbs verbs={[{ label: "Check the current version", tone: "primary", run: () => start(page, of) }]} />
            </p>
          )}
          {page.qa_runs.length ? (
            page.qa_runs.map((run) => <RunSection key={run.id} page={page} of={of} run={run} />)
          ) : (
            <Empty title="Not checked yet">
              <p>
                The check opens the page in a browser, on a phone and a desktop, and reports what visitors would meet.
              </p>
            </Empty>
          )}
        </>
      )}
    </LandingFrame>
  );
}

async function start(page: LandingPage, of: Loaded<LandingPage>): Promise<void> {
  const params = { path: { landing_page_id: page.id } };
  await data(api.POST("/landing-pages/{landing_page_id}/qa-runs", { params, body: {} }));
  saved({}, "The check has begun, which takes some seconds");
  await of.reload();
}

function RunSection({ page, of, run }: { page: LandingPage; of: Loaded<LandingPage>; run: Run }) {
  const [decision, setDecision] = useState<"approve" | "reject" | null>(null);
  const findings = run.findings as Finding[];
  const pictures = Object.entries(run.screenshots) as [string, Picture][];
  const canDecide = may("approvals:write") && (run.status === "passed" || run.status === "failed");
  return (
    <Section
      title={`Check of ${numberOf(page, run.version_id)}`}
      lead={
        <>
          <Status status={run.status} /> <Ago at={run.created_at} />
        </>
      }
      actions={
        canDecide && (
          <>
            {run.status === "passed" && (
              <button type="button" class="primary" onClick={() => setDecision("approve")}>
                Approve
              </button>
            )}
            <button type="button" onClick={() => setDecision("reject")}>
              Reject
            </button>
          </>
        )
      }
    >
      {findings.length > 0 && (
        <Table
          caption="Findings"
          rows={findings}
          keyOf={(row) => `${row.check} ${row.viewport?.width ?? ""} ${row.message}`}
          columns={[
            { title: "What", isName: true, cell: (row) => checkInWords(row.check) },
            {
              title: "How bad",
              cell: (row) => (
                <Badge tone={row.severity === "error" ? "bad" : "warn"}>
                  {row.severity === "error" ? "to be mended" : "advice"}
                </Badge>
              ),
            },
            { title: "Where", cell: (row) => (row.viewport ? windowInWords(row.viewport) : "everywhere") },
            { title: "What was seen", cell: (row) => row.message },
          ]}
        />
      )}
      {findings.length === 0 && run.status !== "queued" && run.status !== "running" && (
        <p>Nothing was found to complain about.</p>
      )}
      {(run.status === "queued" || run.status === "running") && <p role="status">The page is being checked …</p>}
      <ul class="pictures">
        {pictures.map(([label, { public_url, width, height }]) => (
          <li key={label}>
            <a href={public_url} target="_blank" rel="noreferrer">
              <img
                src={public_url}
                width={width}
                height={height}
                alt={`The page: ${labelInWords(label)}`}
                loading="lazy"
              />
            </a>
            <p class="soft">{labelInWords(label)}</p>
          </li>
        ))}
      </ul>
      {decision && <Decide page={page} of={of} run={run} decision={decision} onClose={() => setDecision(null)} />}
    </Section>
  );
}

interface DecideProps {
  page: LandingPage;
  of: Loaded<LandingPage>;
  run: Run;
  decision: "approve" | "reject";
  onClose: () => void;
}

function Decide({ page, of, run, decision, onClose }: DecideProps) {
  const [note, setNote] = useState("");
  const doing = useDoing();
  const decide = async () => {
    const params = { path: { landing_page_id: page.id, qa_run_id: run.id }, header: ifMatch(run) };
    const body = { note: note || null };
    await data(api.POST(`/landing-pages/{landing_page_id}/qa-runs/{qa_run_id}/${decision}`, { params, body }));
    await of.reload();
    saved({}, decision === "approve" ? "Approved" : "Rejected");
    onClose();
  };
  return (
    <Dialog title={decision === "approve" ? "Approve this version?" : "Reject this version?"} onClose={onClose}>
      <Form doing={doing} submit={decision === "approve" ? "Approve" : "Reject"} onSubmit={decide}>
        <p>
          {decision === "approve"
            ? "It may be published then. The approval is for this version alone."
            : "The page is a draft again. Say what has to change."}
        </p>
        <TextField path="note" label="Note" rows={3} value={note} onChange={setNote} />
      </Form>
    </Dialog>
  );
}
