import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { Badge, inWords, type Tone } from "../../kit/badge.tsx";
import { Diff, together } from "../../kit/diff.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { Person } from "../../kit/people.tsx";
import { Shown } from "../../kit/state.tsx";
import { Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { ExperimentFrame } from "./frame.tsx";
import { designDiffs, namesIn } from "./history_words.ts";
import { type Open, useChanging, type Variation } from "./open.ts";
import { Pictures } from "./pictures.tsx";
import { PreviewDialog } from "./preview.tsx";
import { run } from "./run.ts";
import { Summary } from "./variations.tsx";

type Event = Schemas["ApprovalEvent"];
type Row = Schemas["AuditLog"];

interface Review {
  events: Event[];
  /** Newest first; empty where the history may not be read. */
  history: Row[];
}

const MOST = 100;
const TONES: Record<Event["status"], Tone> = {
  pending: "warn",
  approved: "good",
  changes_requested: "warn",
  revoked: "bad",
};

/** What is to be approved, and what was said about it. */
export default function ApprovalTab() {
  return <ExperimentFrame tab="approval">{(open) => <Reviewed open={open} />}</ExperimentFrame>;
}

function Reviewed({ open }: { open: Open }) {
  const { experiment } = open;
  const review = useLoaded(() => readReview(experiment.id), [experiment.id, experiment.approval_state?.updated_at]);
  return <Shown of={review}>{(read) => <Parts open={open} review={read} />}</Shown>;
}

async function readReview(experiment_id: string): Promise<Review> {
  const params = { path: { experiment_id }, query: { limit: MOST } };
  const [events, history] = await Promise.all([
    data(api.GET("/experiments/{experiment_id}/approvals", { params })),
    may("audit:read")
      ? data(api.GET("/experiments/{experiment_id}/history", { params })).catch(() => null)
      : Promise.resolve(null),
  ]);
  return { events: events.data, history: history?.data ?? [] };
}

function Parts({ open, review: { events, history } }: { open: Open; review: Review }) {
  const { experiment } = open;
  const request = events.find(({ action }) => action === "request-approval");
  const approved = events.find(({ status }) => status === "approved");
  const { allowed_actions: allowed } = open.checklist;
  const isOpen = allowed.includes("approve") || allowed.includes("request-changes");
  const used = experiment.variations.filter(({ archived_at }) => !archived_at);
  return (
    <>
      {isOpen && may("approvals:write") && request && (
        <Section
          title="Your decision"
          lead="It is about the design below, and about no other: a later change needs a new approval."
        >
          <Decision open={open} designHash={request.design_hash} mayApprove={allowed.includes("approve")} />
        </Section>
      )}
      {request?.screenshot_job_id && may("screenshots:read") && (
        <Section title="Before and after">
          <Pictures jobId={request.screenshot_job_id} experiment={experiment} />
        </Section>
      )}
      <Section title="What visitors would see">
        <ul class="variations">
          {used.map((variation) => (
            <li key={variation.id} class="card">
              <Seen open={open} variation={variation} />
            </li>
          ))}
        </ul>
      </Section>
      {approved && <Since approval={approved} history={history} names={namesIn(experiment)} />}
      <Section title="What was said">
        {events.length === 0 && <p class="soft">Nobody has asked for an approval yet.</p>}
        <ol class="history">
          {events.map((event) => (
            <li key={event.id}>
              <p>
                <Badge tone={TONES[event.status]}>{inWords(event.status)}</Badge>{" "}
                <span class="soft">
                  <Time at={event.created_at} />, <Person id={event.user_id} />
                </span>
              </p>
              {event.message && <p>{event.message}</p>}
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Seen({ open: { experiment }, variation }: { open: Open; variation: Variation }) {
  const [isPreviewed, setPreviewed] = useState(false);
  return (
    <>
      <div class="title">
        <h3>{variation.name}</h3>
        <span class="spring" />
        {may("previews:write") && (
          <button type="button" onClick={() => setPreviewed(true)}>
            Preview
          </button>
        )}
      </div>
      <Summary of={variation} isRedirect={experiment.delivery_type === "redirect"} />
      {isPreviewed && (
        <PreviewDialog experiment={experiment} variation={variation} onClose={() => setPreviewed(false)} />
      )}
    </>
  );
}

interface SinceProps {
  approval: Event;
  history: Row[];
  names: ReadonlyMap<string, string>;
}

/** What changed in the design since it was approved last. */
function Since({ approval, history, names }: SinceProps) {
  if (!history.length) return null;
  const changes = together(designDiffs(history, approval.created_at));
  return (
    <Section title="Since the last approval">
      {changes.length ? (
        <Diff changes={changes} caption="Changes since the last approval" names={names} />
      ) : (
        <p class="soft">
          Nothing of the design has changed since <Time at={approval.created_at} />.
        </p>
      )}
    </Section>
  );
}

interface DecisionProps {
  open: Open;
  designHash: string | null;
  /** False once it is approved: then only changes may be requested. */
  mayApprove: boolean;
}

/** Approve exactly the design that was shown, or say what should change. */
function Decision({ open, designHash, mayApprove }: DecisionProps) {
  const { experiment, reload } = open;
  const [message, setMessage] = useState("");
  const doing = useDoing();
  const changing = useChanging(open);
  const approve = () =>
    changing.make(
      () => run("approve", experiment, { grant: { design_hash: designHash, message: message.trim() || null } }),
      "Approved",
    );
  const askForChanges = () =>
    changing.make(
      () => run("request-changes", experiment, { changes: { message: message.trim() } }),
      "Changes requested",
    );
  return (
    <Form
      doing={doing}
      submit={mayApprove ? "Approve this design" : "Request changes"}
      onSubmit={mayApprove ? approve : askForChanges}
      isDirty={Boolean(message) && !doing.isBusy}
      others={
        mayApprove && (
          <button type="button" onClick={() => void doing.run(askForChanges)}>
            Request changes
          </button>
        )
      }
    >
      <TextField
        path="message"
        label="Message"
        rows={3}
        value={message}
        onChange={setMessage}
        hint="Needed if you request changes: what should be different?"
      />
      {(doing.problem?.code === "approval_stale" || doing.problem?.status === 412) && (
        <p class="note warn">
          The design changed after the request.{" "}
          <button type="button" class="link" onClick={() => void reload().then(doing.forget)}>
            Load the newest version
          </button>{" "}
          and look again.
        </p>
      )}
    </Form>
  );
}
