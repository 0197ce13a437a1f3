import { sentence } from "../../kit/formats.ts";
import { Section } from "../../kit/page.tsx";
import { count, percent, Time } from "../../kit/values.tsx";
import { BY, ENGINES, type Report } from "./wording.ts";

/** What happened, oldest first. */
export function Story({ report }: { report: Report }) {
  if (!report.timeline.length) return null;
  const left = report.timeline_left_out;
  return (
    <Section title="What happened" lead={left ? `${count(left)} earlier entries are not shown.` : undefined}>
      <ol class="story">
        {report.timeline.map((entry) => (
          <li key={entry.moment + entry.kind}>
            <span class="soft">
              <Time at={entry.moment} />
            </span>
            <p>
              {sentence(entry.sentence)} <span class="soft">{BY[entry.by]}</span>
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Where the numbers come from. */
export function Source({ report }: { report: Report }) {
  return (
    <Section title="Where the numbers come from">
      <dl class="facts">
        <dt>Engine</dt>
        <dd>
          {ENGINES[report.engine]}. {sentence(report.engine_message)}
        </dd>
        <dt>Correction</dt>
        <dd>{sentence(report.correction_message)}</dd>
        <dt>Significance level</dt>
        <dd>{percent(report.alpha, 1)}</dd>
        <dt>Count</dt>
        <dd>number {count(report.generation)}</dd>
        <dt>Counted at</dt>
        <dd>
          <Time at={report.computed_at} />
        </dd>
        <dt>Newest event</dt>
        <dd>
          <Time at={report.through} />
        </dd>
        <dt>Measurement</dt>
        <dd>
          number {count(report.measurement.epoch)}. {sentence(report.measurement.message)}
        </dd>
        <dt>Currency</dt>
        <dd>{report.currency}</dd>
      </dl>
    </Section>
  );
}
