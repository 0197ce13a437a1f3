import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, renewed, type Schemas } from "../../api/client.ts";
import { useLoaded, useRenewed } from "../../api/loading.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { change, count, Time } from "../../kit/values.tsx";
import { forestEnds } from "../../plots/axis.ts";
import { may } from "../../session/session.ts";
import { FirstSteps, NothingRuns } from "./first.tsx";
import { Running } from "./running.tsx";
import { Waiting, waitingFacts } from "./waiting.tsx";

export type Overview = Schemas["Overview"];

const SECONDS = 30;
const WEBHOOK_SECONDS = 300;

/** What runs, what it shows so far, and what waits for someone. */
export default function OverviewScreen() {
  const { query, url, route } = useLocation();
  const isWall = "wall" in query;
  const overview = useRenewed(
    (before: Overview | null) =>
      renewed(before, (headers) => api.GET("/analytics/overview", { params: { query: { limit: 100 } }, headers })),
    [],
    SECONDS,
  );
  const webhooks = useLoaded(readWebhooks, [], { every: WEBHOOK_SECONDS });
  useWall(isWall, () => route(withQuery(url, { wall: "" }), true));
  return (
    <Page
      title="Overview"
      actions={
        <>
          <a class="button" title="Large, for a screen on the wall" href={isWall ? at("") : `${at("")}?wall=on`}>
            {isWall ? "Leave the wall" : "Wall"}
          </a>
          {!isWall && may("experiments:write") && (
            <a class="button primary" href={at("/experiments/new")}>
              New experiment
            </a>
          )}
        </>
      }
    >
      <Shown of={overview}>
        {(read) => <Everything overview={read} webhooks={webhooks.data ?? []} reload={overview.reload} />}
      </Shown>
    </Page>
  );
}

async function readWebhooks(): Promise<Schemas["Webhook"][]> {
  if (!may("webhooks:read")) return [];
  const page = await data(api.GET("/webhooks", { params: { query: { archived: "false", limit: 50 } } }));
  return page.data;
}

/** Show the page without what is around it, until Escape. */
function useWall(isWall: boolean, leave: () => void): void {
  useEffect(() => {
    if (!isWall) return;
    document.documentElement.dataset.wall = "";
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && leave();
    document.addEventListener("keydown", onKey);
    return () => {
      delete document.documentElement.dataset.wall;
      document.removeEventListener("keydown", onKey);
    };
  }, [isWall]);
}

interface EverythingProps {
  overview: Overview;
  webhooks: readonly Schemas["Webhook"][];
  reload: () => Promise<void>;
}

function Everything({ overview, webhooks, reload }: EverythingProps) {
  const rows = overview.data;
  const all = Object.values(overview.by_status).reduce((sum, each) => sum + each, overview.archived);
  if (!all) return <FirstSteps overview={overview} />;
  const ends = forestEnds(rows.flatMap(({ lead }) => (lead?.ci ? [lead.ci] : [])));
  return (
    <div class="overview">
      <Waiting facts={waitingFacts(overview, webhooks, Date.now())} />
      {rows.length ? (
        <Section
          title={
            rows.length === 1
              ? "One experiment runs or is paused"
              : `${count(rows.length)} experiments run or are paused`
          }
          lead={
            rows.some(({ lead }) => lead?.ci)
              ? `The bars show the change of the deciding goal with its interval, from ${change(ends.low, 0)} to ${change(ends.high, 0)}.`
              : undefined
          }
        >
          <ul class="running-list">
            {rows.map((row) => (
              <Running key={row.id} of={row} ends={ends} reload={reload} />
            ))}
          </ul>
          {overview.pagination.has_more && (
            <p class="more">
              These are the newest {count(rows.length)}. <a href={at("/experiments")}>See all experiments</a>
            </p>
          )}
        </Section>
      ) : (
        <NothingRuns overview={overview} />
      )}
      <Counts overview={overview} />
    </div>
  );
}

const STATUSES = [
  ["draft", "Drafts"],
  ["awaiting_client_approval", "Awaiting approval"],
  ["changes_requested", "Changes requested"],
  ["client_approved", "Approved"],
  ["qa", "In QA"],
  ["ready_to_launch", "Ready to launch"],
  ["running", "Running"],
  ["paused", "Paused"],
  ["completed", "Completed"],
] as const;
const RARE: ReadonlySet<string> = new Set(["awaiting_client_approval", "changes_requested", "client_approved", "qa"]);

function Counts({ overview }: { overview: Overview }) {
  return (
    <Section title="All experiments">
      <dl class="figures">
        {STATUSES.filter(([status]) => !RARE.has(status) || overview.by_status[status]).map(([status, title]) => (
          <div key={status}>
            <dt>{title}</dt>
            <dd>
              <a href={`${at("/experiments")}?status=${status}`}>{count(overview.by_status[status] ?? 0)}</a>
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft">
        As of <Time at={overview.generated_at} />; renews itself every {SECONDS} seconds.
        {!overview.is_whole && " Only the newest 10,000 experiments are counted."}
      </p>
    </Section>
  );
}
