import { Section } from "../../kit/page.tsx";
import { percent } from "../../kit/values.tsx";
import { IntervalPlots } from "../../plots/interval.tsx";
import { shop } from "../../session/session.ts";
import { armsIn, happenings, plannedEnd } from "./parts.tsx";
import type { Report } from "./wording.ts";

/** The always-valid interval, look by look. */
export function Course({ report }: { report: Report }) {
  const course = report.interval_over_time;
  if (!course?.looks.length) return null;
  const goal = report.goals.find(({ goal_id }) => goal_id === course.goal_id);
  const unit =
    course.metric === "rate"
      ? "percentage points"
      : (course.currency ?? (course.metric === "ratio" ? "the goal's unit" : "hits a visitor"));
  const end = plannedEnd(report);
  return (
    <Section
      title="Always-valid interval over time"
      lead={
        `Difference from the control in “${goal?.name ?? "the goal"}”, in ${unit}. The band holds the true difference at every ` +
        `look at once, with an error of at most ${percent(course.alpha, 1)} a treatment: once it leaves the line at 0, there is ` +
        "a difference. Move over the plot, or use the arrow keys, to read each look."
      }
    >
      <IntervalPlots
        course={course}
        goal={goal?.name ?? ""}
        arms={armsIn(report)}
        marks={happenings(report)}
        end={end}
        zone={shop.value?.timezone ?? "UTC"}
      />
    </Section>
  );
}
