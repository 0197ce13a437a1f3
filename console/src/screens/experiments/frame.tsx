import type { ComponentChildren } from "preact";
import { useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { Act } from "../../kit/act.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Page, type Tab, Tabs } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { Time } from "../../kit/values.tsx";
import { ActionBar } from "./actions.tsx";
import { CheckList } from "./checklist.tsx";
import { Ended } from "./ended.tsx";
import { committed, type Experiment, type Open, unpublished, useOpen } from "./open.ts";
import { ExperimentStatus } from "./status.tsx";
import { daysInWords, daysRun, KINDS, split } from "./words.ts";

interface FrameProps {
  /** The end of the tab's address; "" for the first. */
  tab: string;
  children: (open: Open) => ComponentChildren;
}

const TABS: readonly [string, string][] = [
  ["", "Design"],
  ["targeting", "Targeting"],
  ["goals", "Goals"],
  ["plan", "Plan"],
  ["results", "Results"],
  ["health", "Health"],
  ["history", "History"],
  ["files", "Files"],
];

/** What is around every tab of an experiment: its name, status, verbs, checklist and tabs. */
export function ExperimentFrame({ tab, children }: FrameProps) {
  const open = useOpen();
  return <Shown of={open}>{(read) => <Framed open={read} tab={tab} content={children(read)} />}</Shown>;
}

function Framed({ open, tab, content }: { open: Open; tab: string; content: ComponentChildren }) {
  const { experiment } = open;
  const { experiment_id: name = experiment.id } = useRoute().params;
  const tabs = tabsOf(open, name);
  return (
    <Page
      title={experiment.name}
      above={<a href={at("/experiments")}>Experiments</a>}
      beside={
        <>
          <ExperimentStatus of={experiment} />
          {experiment.counting_type !== "standard" && <Badge>{KINDS[experiment.counting_type]}</Badge>}
        </>
      }
      actions={<ActionBar open={open} />}
      lead={<Lead of={experiment} />}
    >
      <Unpublished open={open} />
      <Ended experiment={experiment} />
      <CheckList open={open} />
      <Tabs tabs={tabs} current={addressOf(name, tab)} label="Parts of the experiment" />
      {content}
    </Page>
  );
}

/** Return the address of a tab of an experiment. */
export function addressOf(experiment: string, tab: string): string {
  return tab ? at("/experiments", experiment, tab) : at("/experiments", experiment);
}

function tabsOf({ experiment, checklist }: Open, name: string): Tab[] {
  const isApproved =
    experiment.approval_state !== null ||
    checklist.items.some(({ key, status }) => key === "approval" && status === "fail");
  const shown: readonly [string, string][] = isApproved ? [...TABS, ["approval", "Approval"]] : TABS;
  return shown.map(([tab, title]) => ({ title, address: addressOf(name, tab) }));
}

function Lead({ of }: { of: Experiment }) {
  const days = daysRun(of, Date.now());
  return (
    <>
      {of.description && <span class="hypothesis">{of.description} </span>}
      <span class="soft">
        {of.traffic_allocation === 1 ? "All visitors" : `${Math.round(of.traffic_allocation * 100)} % of visitors`},
        split {split(of.variations)}
        {days !== null && !of.ended_at && <> · day {days + 1}</>}
        {days !== null && of.ended_at && <> · ran {daysInWords(days)}</>}
        {of.scheduled_start_at && (
          <>
            {" "}
            · starts <Time at={of.scheduled_start_at} />
          </>
        )}
        {of.linked_idea && (
          <>
            {" "}
            · idea {of.linked_idea.key}: {of.linked_idea.title}
          </>
        )}
      </span>
    </>
  );
}

/** A change that is stored and not yet on the shop. */
function Unpublished({ open }: { open: Open }) {
  const { id } = open.experiment;
  const message = unpublished.value.get(id);
  if (!message) return null;
  const params = { path: { experiment_id: id } };
  const retry = async () => {
    await committed(id, () => data(api.POST("/experiments/{experiment_id}/retry-publication", { params })));
    await open.reload();
  };
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>Saved, not yet published.</strong> Visitors still see the version before: {message} It is tried again by
        itself.
      </p>
      <Act run={retry}>Publish now</Act>
    </div>
  );
}
