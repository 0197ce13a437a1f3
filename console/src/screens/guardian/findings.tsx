import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Badge, inWords, Status } from "../../kit/badge.tsx";
import { Page, Section, Tabs } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { Ago, count, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { ACTIONS, figure, KINDS, TONES } from "./words.ts";

type Experiment = Schemas["Experiment"];
type Health = Schemas["ExperimentHealth"];
type Finding = Schemas["GuardianFinding"];

interface Watched {
  experiment: Experiment;
  health: Health;
}

/** The most running and paused experiments whose health is read: each takes a call. */
const MOST = 40;

/** What Guardian found in running and paused experiments. */
export default function Findings() {
  const { url, query, route } = useLocation();
  const showsEnded = query.ended === "true";
  const watched = useLoaded(read, [], { every: 60 });
  return (
    <Page
      title="Guardian"
      lead="Guardian looks after running experiments: whether each variation is delivered, breaks the shop or costs money, and whether figures can be trusted."
    >
      <GuardianTabs current="/guardian" />
      <p class="buttons apart">
        <label>
          <input
            type="checkbox"
            checked={showsEnded}
            onChange={() => route(withQuery(url, { ended: showsEnded ? "" : "true" }), true)}
          />{" "}
          Show what has ended, too
        </label>
        {may("inbox:read") && <a href={at("/inbox")}>Messages in the inbox</a>}
      </p>
      <Shown of={watched}>{(all) => <Everything all={all} showsEnded={showsEnded} />}</Shown>
    </Page>
  );
}

export function GuardianTabs({ current }: { current: string }) {
  const tabs = [{ title: "Findings", address: at("/guardian") }];
  if (may("shop:read")) tabs.push({ title: "Settings", address: at("/guardian/settings") });
  return <Tabs tabs={tabs} current={at(current)} label="Guardian" />;
}

async function read(): Promise<Watched[]> {
  const pages = await Promise.all(
    (["running", "paused"] as const).map((status) =>
      data(api.GET("/experiments", { params: { query: { status, limit: MOST, sort: "-updated_at" } } })),
    ),
  );
  const experiments = pages.flatMap((page) => page.data).slice(0, MOST);
  return Promise.all(
    experiments.map(async (experiment) => {
      const params = { path: { experiment_id: experiment.id } };
      return { experiment, health: await data(api.GET("/experiments/{experiment_id}/health", { params })) };
    }),
  );
}

function Everything({ all, showsEnded }: { all: readonly Watched[]; showsEnded: boolean }) {
  const findingsOf = ({ health }: Watched) => health.data.filter((each) => showsEnded || each.resolved_at === null);
  const troubled = all.filter((each) => findingsOf(each).length || each.health.unseen);
  if (!all.length) {
    return (
      <Empty title="No experiment runs">
        <p>Guardian begins with the first experiment that is launched.</p>
      </Empty>
    );
  }
  return (
    <>
      {troubled.map((each) => (
        <Section
          key={each.experiment.id}
          title={each.experiment.name}
          actions={
            <>
              <Status status={each.experiment.status} />
              <a href={at("/experiments", each.experiment.id)}>Open</a>
            </>
          }
        >
          <div class="cards">
            {each.health.unseen && <Unseen of={each.health.unseen} />}
            {findingsOf(each).map((finding) => (
              <FindingCard key={finding.kind + finding.detected_at + finding.variation_id} of={finding} />
            ))}
          </div>
        </Section>
      ))}
      {!troubled.length && <p class="note good">Nothing is wrong in {count(all.length)} experiments.</p>}
      <Checked all={all} />
    </>
  );
}

function Unseen({ of }: { of: NonNullable<Health["unseen"]> }) {
  return (
    <article class="card">
      <h3>
        No visitor yet <Badge tone="warn">to check</Badge>
      </h3>
      <p>{of.message}</p>
    </article>
  );
}

function FindingCard({ of }: { of: Finding }) {
  const { details } = of;
  return (
    <article class="card finding">
      <h3>
        {KINDS[of.kind]}{" "}
        {of.resolved_at ? <Badge>ended</Badge> : <Badge tone={TONES[of.severity]}>{of.severity}</Badge>}
      </h3>
      <p>{of.message}</p>
      <p>{ACTIONS[of.action]}</p>
      {of.blocks_revenue_verdicts && <p>No verdict on money is given until this is mended.</p>}
      <p class="soft">
        Since <Time at={details.changed_at ?? of.detected_at} />
        {of.resolved_at && (
          <>
            {" "}
            until <Time at={of.resolved_at} />
          </>
        )}
      </p>
      <details>
        <summary>Evidence</summary>
        <dl class="facts">
          <dt>Compared</dt>
          <dd>{inWords(details.metric)}</dd>
          <dt>Seen</dt>
          <dd>{figure(details.observed)}</dd>
          <dt>Expected</dt>
          <dd>{figure(details.expected)}</dd>
          <dt>Limit</dt>
          <dd>{figure(details.threshold)}</dd>
          <dt>Of visitors, sessions or orders</dt>
          <dd>{count(details.sample)}</dd>
          <dt>From</dt>
          <dd>
            <Time at={details.window.from} />
          </dd>
          <dt>To</dt>
          <dd>
            <Time at={details.window.to} />
          </dd>
          <dt>Checks in a row</dt>
          <dd>{count(details.consecutive_checks)}</dd>
        </dl>
      </details>
    </article>
  );
}

function Checked({ all }: { all: readonly Watched[] }) {
  return (
    <details class="apart">
      <summary>When each was checked, and what could not be</summary>
      <ul class="rows">
        {all.map(({ experiment, health }) => (
          <li key={experiment.id}>
            <strong>{experiment.name}</strong>: checked <Ago at={health.checked_at} />.
            <ul class="rows bullets soft">
              {health.not_evaluated.map((each) => (
                <li key={each.kind + each.variation_id + each.goal_id}>
                  {KINDS[each.kind]}: {each.message}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </details>
  );
}
