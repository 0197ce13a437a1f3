import { useLocation } from "preact-iso";
import { withQuery } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { CurvesPlot, type Series } from "../../plots/curves.tsx";
import type { Choices } from "./choices.tsx";
import { armsIn, curveGoal, happenings } from "./parts.tsx";
import type { Goal, Report } from "./wording.ts";

/** A goal over time: everything until each day, or each day by itself. */
export function Curves({ report, choices }: { report: Report; choices: Choices }) {
  const { url, route } = useLocation();
  const goal = report.goals.find(({ goal_id }) => goal_id === choices.goal) ?? report.goals[0];
  if (!report.curves || !goal) return null;
  const set = (values: Record<string, string>) => route(withQuery(url, values), true);
  const isThere = !choices.isDaily && report.curves.data.at(-1)?.goals.some(({ goal_id }) => goal_id === goal.goal_id);
  return (
    <Section
      title="Over time"
      lead={
        choices.isDaily
          ? "Visitors who came on each day, and everything they did since. Single days always swing."
          : "All visitors from the beginning up to each day, and what they did since. The first days always swing."
      }
      actions={
        <>
          <select aria-label="Goal" value={goal.goal_id} onChange={(event) => set({ goal: event.currentTarget.value })}>
            {report.goals.map(({ goal_id, name }) => (
              <option key={goal_id} value={goal_id}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label="Cumulative or daily"
            value={choices.isDaily ? "daily" : ""}
            onChange={(event) => set({ curve: event.currentTarget.value })}
          >
            <option value="">Cumulative</option>
            <option value="daily">Daily</option>
          </select>
        </>
      }
    >
      {isThere ? (
        <Plot report={report} goal={goal} series={report.curves} />
      ) : (
        <Asked report={report} goal={goal} isDaily={choices.isDaily} />
      )}
    </Section>
  );
}

/** What the report does not have: single days, and goals beyond the first five. */
function Asked({ report, goal, isDaily }: { report: Report; goal: Goal; isDaily: boolean }) {
  const series = useLoaded(
    () =>
      data(
        api.GET("/experiments/{experiment_id}/results/timeseries", {
          params: {
            path: { experiment_id: report.experiment.id },
            query: {
              goal_id: [goal.goal_id],
              mode: isDaily ? "per_bucket" : "cumulative",
              granularity: report.curves?.granularity ?? "day",
              timezone: report.curves?.timezone ?? "UTC",
            },
          },
        }),
      ),
    [report.experiment.id, goal.goal_id, isDaily, report.generation],
  );
  return <Shown of={series}>{(read) => <Plot report={report} goal={goal} series={read} />}</Shown>;
}

function Plot({ report, goal, series }: { report: Report; goal: Goal; series: Series }) {
  if (!series.data.length) return <p class="soft">No visitors yet.</p>;
  return (
    <CurvesPlot
      series={series}
      goal={curveGoal(goal, series.currency)}
      arms={armsIn(report)}
      marks={happenings(report)}
    />
  );
}
