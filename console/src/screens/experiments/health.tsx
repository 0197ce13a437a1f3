import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty, Refused, Shown } from "../../kit/state.tsx";
import { Ago, count, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { ACTIONS, ADVICE, type Finding } from "./advice.ts";
import { ExperimentFrame } from "./frame.tsx";
import { GuardianRules } from "./guardian.tsx";
import type { Experiment } from "./open.ts";

type Health = Schemas["ExperimentHealth"];

const RENEWED_SECONDS = 60;

/** What Guardian watches in the experiment: problems, what was done, and what to do. */
export default function HealthTab() {
  return (
    <ExperimentFrame tab="health">
      {(open) => (
        <>
          {may("analytics:read") ? (
            <Findings key={open.experiment.id} experiment={open.experiment} />
          ) : (
            <Refused scope="analytics:read" />
          )}
          {may("experiments:write") && (
            <Section
              title="What Guardian may do"
              lead="Problems are always reported; here you say what pauses the test."
            >
              <GuardianRules open={open} />
            </Section>
          )}
        </>
      )}
    </ExperimentFrame>
  );
}

function Findings({ experiment }: { experiment: Experiment }) {
  const params = { path: { experiment_id: experiment.id } };
  const health = useLoaded(() => data(api.GET("/experiments/{experiment_id}/health", { params })), [experiment.id], {
    every: RENEWED_SECONDS,
  });
  return <Shown of={health}>{(read) => <Everything health={read} experiment={experiment} />}</Shown>;
}

function Everything({ health, experiment }: { health: Health; experiment: Experiment }) {
  const current = health.data.filter(({ resolved_at }) => !resolved_at);
  const resolved = health.data.filter(({ resolved_at }) => resolved_at);
  return (
    <>
      <Section
        title="Problems"
        lead={
          health.checked_at ? (
            <>
              Checked <Ago at={health.checked_at} />.
            </>
          ) : (
            "Not checked yet: checks begin with the first visitors."
          )
        }
      >
        {health.unseen && (
          <div class="note bad" role="alert">
            <p>
              <strong>No visitor has seen the experiment.</strong> {health.unseen.message}
            </p>
            <p>
              The shop had {count(health.unseen.shop_visitors)} visitors since <Time at={health.unseen.since} />.
            </p>
          </div>
        )}
        {current.length === 0 && !health.unseen && (
          <Empty title={health.checked_at ? "No problem" : "Nothing to report yet"}>
            <p>Guardian looks for broken delivery, harm and doubtful data with every new count.</p>
          </Empty>
        )}
        <ul class="variations">
          {current.map((finding) => (
            <li key={keyOf(finding)} class="card">
              <FindingCard finding={finding} experiment={experiment} />
            </li>
          ))}
        </ul>
      </Section>
      {resolved.length > 0 && (
        <Section title="Over">
          <ul class="bullets">
            {resolved.map((finding) => (
              <li key={keyOf(finding)}>
                {ADVICE[finding.kind].title}{" "}
                <span class="soft">
                  from <Time at={finding.detected_at} /> to <Time at={finding.resolved_at} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {health.not_evaluated.length > 0 && (
        <details>
          <summary>{health.not_evaluated.length} checks could not run</summary>
          <ul class="bullets">
            {health.not_evaluated.map(({ kind, message, goal_id, variation_id }) => (
              <li key={`${kind} ${goal_id} ${variation_id}`}>
                {ADVICE[kind].title}: {message}
                {whose(goal_id, variation_id, experiment)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function keyOf({ kind, detected_at, goal_id, variation_id }: Finding): string {
  return `${kind} ${detected_at} ${goal_id} ${variation_id}`;
}

const TONES: Record<Finding["severity"], Tone> = { critical: "bad", warning: "warn", notice: "plain" };

function FindingCard({ finding, experiment }: { finding: Finding; experiment: Experiment }) {
  const { title, steps } = ADVICE[finding.kind];
  const { observed, expected, sample } = finding.details;
  return (
    <>
      <div class="title">
        <h3>{title}</h3>
        <Badge tone={TONES[finding.severity]}>{finding.severity}</Badge>
      </div>
      <p>
        {finding.message}
        {whose(finding.goal_id, finding.variation_id, experiment)}
      </p>
      <p class="soft">
        {ACTIONS[finding.action]}, <Ago at={finding.detected_at} />. Seen {observed ?? "–"}, expected {expected ?? "–"}
        {sample !== null && <> among {count(sample)}</>}.
        {finding.blocks_revenue_verdicts && " Revenue has no verdict until it is over."}
      </p>
      <p>
        <strong>What to do</strong>
      </p>
      <ol class="numbered">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </>
  );
}

function whose(goalId: string | null, variationId: string | null, { goals, variations }: Experiment): string {
  const names = [
    variations.find(({ id }) => id === variationId)?.name,
    goals.find(({ id }) => id === goalId)?.name,
  ].filter(Boolean);
  return names.length ? ` (${names.join(", ")})` : "";
}
