import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { Act } from "../../kit/act.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Confirm } from "../../kit/dialog.tsx";
import { sentence } from "../../kit/formats.ts";
import { apart, between } from "../../kit/measure.ts";
import { Ago, change, count, percent, Time } from "../../kit/values.tsx";
import { Strip } from "../../plots/forest.tsx";
import { may } from "../../session/session.ts";
import { committed } from "../experiments/open.ts";
import { Word } from "../results/parts.tsx";
import { SEVERITIES, STATES, VERDICTS } from "../results/wording.ts";
import type { Overview } from "./overview.tsx";

type Experiment = Overview["data"][number];

interface RunningProps {
  of: Experiment;
  ends: { low: number; high: number };
  reload: () => Promise<void>;
}

/** One experiment: its verdict, the lift of the deciding goal, and what is wrong. */
export function Running({ of, ends, reload }: RunningProps) {
  return (
    <li class="card running">
      <div class="running-head">
        <h3>
          <a href={at("/experiments", of.id, "results")}>{of.name}</a>
        </h3>
        {of.status === "paused" && <Badge tone="warn">Paused</Badge>}
        <Word of={VERDICTS[of.verdict.status]} />
        <span class="spring" />
        <Verbs of={of} reload={reload} />
      </div>
      <p class={of.verdict.is_decided ? "said decided" : "said"}>{sentence(of.verdict.sentence)}</p>
      {of.pause && of.pause.by !== "person" && <p class="soft">{sentence(of.pause.sentence)}</p>}
      <Lead of={of} ends={ends} />
      <Facts of={of} />
    </li>
  );
}

function Lead({ of, ends }: Pick<RunningProps, "of" | "ends">) {
  const { lead, goal } = of;
  if (!lead || !goal) return <p class="soft">No goal is measured.</p>;
  const text = lead.lift === null ? apart(lead.difference, goal.metric, null) : change(lead.lift);
  return (
    <div class="running-lead">
      <span>
        <bdi>{goal.name}</bdi>
        <small class="soft"> in {lead.variation_name}</small>
      </span>
      <Strip
        row={{
          label: `${of.name}, ${goal.name} in ${lead.variation_name} against the control`,
          value: lead.lift,
          interval: lead.ci,
          text,
          between: between(lead.ci),
          tone: STATES[lead.state][1],
        }}
        ends={ends}
      />
      <b class="num">{text}</b>
      <span class="soft">{lead.ci ? between(lead.ci) : "No interval yet"}</span>
    </div>
  );
}

function Facts({ of }: { of: Experiment }) {
  const { findings, plan, verdict, srm } = of;
  const days = plan?.days_left ?? verdict.days_left;
  return (
    <ul class="running-facts">
      <li>
        <b>{count(of.visitors)}</b> visitors
      </li>
      {plan && plan.reached !== null && (
        <li>
          <b>{percent(plan.reached, 0)}</b> of the planned sample
        </li>
      )}
      {days !== null && days > 0 && (
        <li>
          about <b>{count(Math.ceil(days))}</b> {Math.ceil(days) === 1 ? "day" : "days"} to go
        </li>
      )}
      {of.scheduled_end_at && (
        <li>
          ends <Time at={of.scheduled_end_at} />
        </li>
      )}
      {srm.status === "mismatch" && (
        <li>
          <Word of={["Split is off", "bad"]} />
        </li>
      )}
      {findings.worst && (
        <li title={findings.first ?? undefined}>
          <Word
            of={[
              `${count(findings.count)} ${findings.count === 1 ? "finding" : "findings"}`,
              SEVERITIES[findings.worst][1],
            ]}
          />{" "}
          {findings.first && sentence(findings.first)}
        </li>
      )}
      {of.publication && of.publication !== "published" && (
        <li>
          <Word of={of.publication === "failed" ? ["Not published", "bad"] : ["Being published", "plain"]} />
        </li>
      )}
      <li class="soft">
        {of.computed_at ? (
          <>
            counted <Ago at={of.computed_at} />
          </>
        ) : (
          "not counted yet"
        )}
      </li>
    </ul>
  );
}

const TURNS = {
  pause: { verb: "Pause", says: "Visitors see the original from now on. What was counted stays." },
  resume: { verb: "Resume", says: "Visitors see their variation again, and are counted." },
} as const;

function Verbs({ of, reload }: Pick<RunningProps, "of" | "reload">) {
  const [asked, setAsked] = useState<keyof typeof TURNS | null>(null);
  if (!may("experiments:launch")) return null;
  const params = { path: { experiment_id: of.id } };
  const turn = of.status === "running" ? "pause" : "resume";
  const change = async (call: () => Promise<unknown>) => {
    await committed(of.id, call);
    await reload();
  };
  const publish = () => change(() => data(api.POST("/experiments/{experiment_id}/retry-publication", { params })));
  return (
    <span class="tools">
      {of.publication === "failed" && <Act run={publish}>Publish now</Act>}
      <button type="button" onClick={() => setAsked(turn)} aria-label={`${TURNS[turn].verb} ${of.name}`}>
        {TURNS[turn].verb}
      </button>
      {asked && (
        <Confirm
          title={`${TURNS[asked].verb} ${of.name}?`}
          verb={TURNS[asked].verb}
          onConfirm={() => change(() => data(api.POST(`/experiments/{experiment_id}/${asked}`, { params, body: {} })))}
          onClose={() => setAsked(null)}
        >
          <p>{TURNS[asked].says}</p>
        </Confirm>
      )}
    </span>
  );
}
