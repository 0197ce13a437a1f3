import { useLocation } from "preact-iso";
import { withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { sentence } from "../../kit/formats.ts";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { count } from "../../kit/values.tsx";
import type { Arm } from "../../plots/arm.tsx";
import { Figure } from "../../plots/figure.tsx";
import { Forest } from "../../plots/forest.tsx";
import type { Sheet } from "../../plots/sheet.ts";
import type { Choices } from "./choices.tsx";
import { forestRow } from "./lift.tsx";
import { armsIn } from "./parts.tsx";
import { DIMENSIONS, type Dimension, type Report, STATES } from "./wording.ts";

type Segment = Schemas["SegmentResults"];

const NAMES = Object.keys(DIMENSIONS) as Dimension[];

/** The deciding goal by one dimension or two. */
export function Segments({ report, choices }: { report: Report; choices: Choices }) {
  const { url, route } = useLocation();
  const goal = report.goals[0];
  if (!goal || !report.computed_at) return null;
  const set = (values: Record<string, string>) => route(withQuery(url, values), true);
  const own = report.segments.find(({ dimension }) => dimension === choices.by);
  return (
    <Section
      title="Segments"
      lead={sentence(report.segment_note)}
      actions={
        <>
          <Choice
            label="By"
            value={choices.by}
            options={NAMES}
            onChange={(by) => set({ by, and: by === choices.and ? "" : (choices.and ?? "") })}
          />
          <Choice
            label="and"
            value={choices.and ?? ""}
            options={NAMES.filter((name) => name !== choices.by)}
            none="One dimension"
            onChange={(and) => set({ and })}
          />
        </>
      }
    >
      {choices.and || !own ? (
        <Two
          report={report}
          goalId={goal.goal_id}
          dimensions={choices.and ? [choices.by, choices.and] : [choices.by]}
        />
      ) : (
        <Table segments={own.segments} dimensions={[choices.by]} arms={armsIn(report)} leftOut={own.left_out} />
      )}
    </Section>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly Dimension[];
  none?: string;
  onChange: (value: string) => void;
}

function Choice({ label, value, options, none, onChange }: ChoiceProps) {
  return (
    <select aria-label={`Segments: ${label}`} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {none && <option value="">{none}</option>}
      {options.map((name) => (
        <option key={name} value={name}>
          {none ? `and ${DIMENSIONS[name].toLowerCase()}` : `By ${DIMENSIONS[name].toLowerCase()}`}
        </option>
      ))}
    </select>
  );
}

function Two({ report, goalId, dimensions }: { report: Report; goalId: string; dimensions: Dimension[] }) {
  const segments = useLoaded(
    () =>
      data(
        api.GET("/experiments/{experiment_id}/results/segments", {
          params: {
            path: { experiment_id: report.experiment.id },
            query: { dimension: dimensions, goal_id: [goalId] },
          },
        }),
      ),
    [report.experiment.id, goalId, dimensions.join(), report.generation],
  );
  return (
    <Shown of={segments}>
      {(read) => (
        <>
          {read.warnings.map(({ code, message }) => (
            <p key={code} class="note">
              {sentence(message)}
            </p>
          ))}
          <Table segments={read.data} dimensions={dimensions} arms={armsIn(report)} leftOut={read.left_out} />
        </>
      )}
    </Shown>
  );
}

interface TableProps {
  segments: readonly Segment[];
  dimensions: readonly Dimension[];
  arms: readonly Arm[];
  leftOut: number;
}

function Table({ segments, dimensions, arms, leftOut }: TableProps) {
  const names = dimensions.map((name) => DIMENSIONS[name].toLowerCase()).join(" and ");
  if (!segments.some(({ values }) => dimensions.some((name) => (values[name] ?? "unknown") !== "unknown")))
    return <p class="soft">Not known of any visitor: {names}.</p>;
  return (
    <>
      <Figure title={`By ${names}`} sheet={segmentsSheet(segments, dimensions)} file={`segments ${names}`}>
        <Forest
          groups={segments.map((segment) => ({
            id: nameOf(segment, dimensions),
            title: (
              <>
                <bdi>{nameOf(segment, dimensions)}</bdi> <small>{count(segment.visitors)} visitors</small>
              </>
            ),
            rows: segment.goals
              .slice(0, 1)
              .flatMap((goal) =>
                goal.rows.filter(({ is_control }) => !is_control).map((row) => forestRow(goal, row, arms)),
              ),
          }))}
        />
      </Figure>
      {leftOut > 0 && <p class="soft">{count(leftOut)} more with fewer visitors are left out.</p>}
    </>
  );
}

function nameOf({ values }: Segment, dimensions: readonly Dimension[]): string {
  return dimensions.map((name) => values[name] ?? "unknown").join(", ");
}

/** Return segments as numbers: a row for each and variation. */
export function segmentsSheet(segments: readonly Segment[], dimensions: readonly Dimension[]): Sheet {
  return {
    columns: [
      ...dimensions.map((name) => ({ title: DIMENSIONS[name] })),
      { title: "Variation" },
      { title: "Visitors", text: count },
      { title: "Converted", text: count },
      { title: "Level" },
      { title: "Lift" },
      { title: "Lower end" },
      { title: "Upper end" },
      { title: "Verdict" },
    ],
    rows: segments.flatMap(({ values, goals }) =>
      goals
        .slice(0, 1)
        .flatMap((goal) =>
          goal.rows.map((row) => [
            ...dimensions.map((name) => values[name] ?? "unknown"),
            row.variation_name,
            row.visitors,
            row.conversions,
            row[goal.metric],
            row.lift,
            row.ci?.lower ?? null,
            row.ci?.upper ?? null,
            STATES[row.state][0],
          ]),
        ),
    ),
  };
}
