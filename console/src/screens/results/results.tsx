import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, renewed, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded, useRenewed } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { sentence } from "../../kit/measure.ts";
import { Page } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { Ago, count, percent } from "../../kit/values.tsx";
import { Actions } from "./actions.tsx";
import { ChoiceBar, type Choices, choicesIn, isNarrowed } from "./choices.tsx";
import { Course } from "./course.tsx";
import { Curves } from "./curves.tsx";
import { Lift } from "./lift.tsx";
import { Looks } from "./looks.tsx";
import { MoneySetAside, Worth } from "./money.tsx";
import { Numbers } from "./numbers.tsx";
import { armsIn } from "./parts.tsx";
import { Plan } from "./plan.tsx";
import { Segments } from "./segments.tsx";
import { Source, Story } from "./story.tsx";
import { Guardrails, Trust } from "./trust.tsx";
import { Verdict } from "./verdict.tsx";
import { ENGINES, type Report } from "./wording.ts";

const RENEWED_SECONDS = 30;

/** The results of an experiment: one request, renewed while someone looks. */
export default function Results() {
  const id = useRoute().params.experiment_id ?? "";
  const { query } = useLocation();
  const choices = choicesIn(query);
  const path = { experiment_id: id };
  const report = useRenewed(
    (before: Report | null) =>
      renewed(
        before,
        (headers) =>
          api.GET("/experiments/{experiment_id}/report", {
            params: { path, query: { format: "json" } },
            headers,
          }) as Promise<{ data?: Report; error?: unknown; response: Response }>,
      ),
    [id],
    RENEWED_SECONDS,
  );
  const experiment = report.data?.experiment;
  return (
    <Page
      title={experiment ? `${experiment.name}: results` : "Results"}
      above={
        <>
          <a href={at("/experiments")}>Experiments</a> / <a href={at("/experiments", id)}>{experiment?.name ?? id}</a>
        </>
      }
      beside={experiment && <Status status={experiment.status} />}
      actions={report.data && <Actions report={report.data} reload={report.reload} />}
    >
      <Shown of={report}>{(read) => <Everything report={read} choices={choices} />}</Shown>
    </Page>
  );
}

function Everything({ report, choices }: { report: Report; choices: Choices }) {
  const chosen = useChosen(report, choices);
  const arms = armsIn(report);
  return (
    <div class="results">
      <p class="soft">
        {report.computed_at ? (
          <>
            Counted <Ago at={report.computed_at} />; renews itself every {RENEWED_SECONDS} seconds.
          </>
        ) : (
          "Not counted yet."
        )}
      </p>
      <Verdict report={report} />
      {report.experiment.started_at && (
        <>
          <Trust report={report} />
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
          <Plan report={report} />
        </>
      )}
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
