import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api, data, renewed, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded, useRenewed } from "../../api/loading.ts";
import { sentence } from "../../kit/formats.ts";
import { Shown } from "../../kit/state.tsx";
import { Ago, count, percent } from "../../kit/values.tsx";
import { ExperimentFrame } from "../experiments/frame.tsx";
import type { Open } from "../experiments/open.ts";
import { Actions } from "./actions.tsx";
import { ChoiceBar, type Choices, choicesIn, isNarrowed } from "./choices.tsx";
import { Course } from "./course.tsx";
import { Curves } from "./curves.tsx";
import { Lift } from "./lift.tsx";
import { Looks } from "./looks.tsx";
import { MoneySetAside, Worth } from "./money.tsx";
import { Numbers } from "./numbers.tsx";
import { armsIn } from "./parts.tsx";
import { Pictures } from "./pictures.tsx";
import { Plan } from "./plan.tsx";
import { Segments } from "./segments.tsx";
import { Source, Story } from "./story.tsx";
import { Guardrails, Trust } from "./trust.tsx";
import { Verdict } from "./verdict.tsx";
import { ENGINES, type Report } from "./wording.ts";

const SECONDS = 30;

/** The results of an experiment: one request, renewed while someone looks. */
export default function Results() {
  const { experiment_id: name = "" } = useRoute().params;
  // Read at the same time as the experiment around it, not after it.
  const report = useRenewed(
    (before: Report | null) => renewed(before, (headers) => read(name, headers)),
    [name],
    SECONDS,
  );
  return <ExperimentFrame tab="results">{(open) => <Renewed open={open} report={report} />}</ExperimentFrame>;
}

function Renewed({ open, report }: { open: Open; report: Loaded<Report> }) {
  const { status } = open.experiment;
  const { query } = useLocation();
  const counted = report.data?.experiment.status;
  // Auto-stop and Guardian may pause the test meanwhile, and verbs above change it.
  useEffect(() => {
    if (counted && counted !== status) void Promise.all([open.reload(), report.reload()]);
  }, [counted, status]);
  return (
    <Shown of={report}>
      {(shown) => (
        <>
          <div class="results-bar">
            <p class="soft">
              {shown.computed_at ? (
                <>
                  Counted <Ago at={shown.computed_at} />; renews itself every {SECONDS} seconds.
                </>
              ) : (
                "Not counted yet."
              )}
            </p>
            <span class="spring" />
            <Actions report={shown} reload={report.reload} />
          </div>
          <Everything report={shown} choices={choicesIn(query)} />
        </>
      )}
    </Shown>
  );
}

function read(name: string, headers: Record<string, string>) {
  const params = { path: { experiment_id: name }, query: { format: "json" as const } };
  // The document has two forms of the answer; the query chooses this one.
  return api.GET("/experiments/{experiment_id}/report", { params, headers }) as Promise<{
    data?: Report;
    error?: unknown;
    response: Response;
  }>;
}

function Everything({ report, choices }: { report: Report; choices: Choices }) {
  const chosen = useChosen(report, choices);
  const arms = armsIn(report);
  const isEmpty = report.verdict.status === "no_data";
  return (
    <div class="results">
      <Verdict report={report} />
      {report.experiment.started_at && (
        <>
          <Trust report={report} />
          {isEmpty ? (
            <p class="note">
              Figures and charts appear here as soon as visitors are counted. <i>Count now</i> does it at once.
            </p>
          ) : (
            <>
              <ChoiceBar report={report} choices={choices} />
              <Shown of={chosen}>
                {(read) => (
                  <>
                    {read.results && <Cautions results={read.results} />}
                    <Lift goals={read.goals} arms={arms} alpha={read.alpha} />
                  </>
                )}
              </Shown>
              <Guardrails report={report} />
              <Course report={report} />
              <Looks report={report} />
              <Curves report={report} choices={choices} />
              <Segments report={report} choices={choices} />
              <Worth report={report} />
              <MoneySetAside report={report} />
            </>
          )}
          <Plan report={report} />
        </>
      )}
      <Pictures report={report} />
      <Story report={report} />
      {chosen.data && report.computed_at && <Numbers goals={chosen.data.goals} arms={arms} lead={lead(chosen.data)} />}
      <Source report={report} />
    </div>
  );
}

interface Figures extends Pick<Report, "goals" | "engine" | "generation" | "alpha"> {
  /** Null where they are those of the report. */
  results: Schemas["Results"] | null;
}

/** Return the figures of forest and numbers: those of the report, or what was chosen instead. */
function useChosen(report: Report, choices: Choices): Loaded<Figures> {
  const { engine, from, to, segment } = choices;
  const isOther = isNarrowed(choices);
  const chosen = useLoaded<Figures | null>(async () => {
    if (!isOther) return null;
    const query = {
      engine: engine ?? undefined,
      from: from ?? undefined,
      to: to ?? undefined,
      segment: segment ?? undefined,
    };
    const path = { experiment_id: report.experiment.id };
    const results = await data(api.GET("/experiments/{experiment_id}/results", { params: { path, query } }));
    return { ...results, results };
  }, [report.experiment.id, engine, from, to, segment, report.generation]);
  return isOther ? (chosen as Loaded<Figures>) : { ...chosen, data: { ...report, results: null }, problem: null };
}

function Cautions({ results }: { results: Schemas["Results"] }) {
  const { engine_warning: warning, narrowed_to: narrowed } = results;
  return (
    <>
      {warning && (
        <p class="note warn" role="status">
          <b>Do not decide by these numbers.</b> {sentence(warning.message)}
        </p>
      )}
      {narrowed && (
        <p class="note" role="status">
          These are figures of a part of the visitors
          {narrowed.segment && `: ${narrowed.segment.replace(":", " ")}`}. The verdict above is of all of them.
        </p>
      )}
    </>
  );
}

function lead({ engine, generation, alpha }: Pick<Report, "engine" | "generation" | "alpha">): string {
  return `Count number ${count(generation)}. ${ENGINES[engine]}. Intervals at ${percent(1 - alpha, 0)} or better.`;
}
