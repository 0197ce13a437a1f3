import { at } from "../../address.ts";
import { numberFormat, sentence } from "../../kit/formats.ts";
import { between, measured } from "../../kit/measure.ts";
import { change, count, percent, Time } from "../../kit/values.tsx";
import { ArmName } from "../../plots/arm.tsx";
import { armsIn, currencyOf, type Fact, Facts, isDoubtful, Word } from "./parts.tsx";
import { GAPS, type Report, VERDICTS } from "./wording.ts";

/** The conclusion in a sentence, what to do next, what to be careful about, and the key figures. */
export function Verdict({ report }: { report: Report }) {
  const { verdict } = report;
  const worded = VERDICTS[verdict.status];
  return (
    <section class={`verdict ${worded[1]}`} aria-labelledby="verdict">
      <h2 class="unseen" id="verdict">
        Verdict
      </h2>
      <p>
        <Word of={worded} />
      </p>
      <p class="sentence">{sentence(verdict.sentence)}</p>
      <p>
        <b>Next step</b> {sentence(report.next_step.sentence)} <Way report={report} />
      </p>
      <Details report={report} />
      <Facts lines={cautions(report)} />
      <Conclusion report={report} />
      <KeyFigures report={report} />
    </section>
  );
}

const PLACES: Partial<Record<Report["next_step"]["code"], readonly [string, string]>> = {
  make_plan: ["plan", "Go to the plan"],
  check_findings: ["health", "See the findings"],
  find_cause: ["health", "See its health"],
};

/** Where the next step is taken. */
function Way({ report }: { report: Report }) {
  const { code } = report.next_step;
  if (code === "check_delivery") return <a href={at("/install")}>Check the installation</a>;
  const place = PLACES[code];
  return place ? <a href={at("/experiments", report.experiment.id, place[0])}>{place[1]}</a> : null;
}

function Details({ report }: { report: Report }) {
  const elsewhere = new Set([
    report.experiment.learning,
    report.plan?.message,
    ...report.health.map(({ message }) => message),
    ...report.coverage.reasons.map((reason) => GAPS[reason]),
  ]);
  // With one variation, its detail is the sentence above again.
  const isSaid = (detail: string) =>
    report.verdict.sentence.includes(detail.replace(/^“[^”]*”: /, "").replace(/\.$/, ""));
  const details = report.verdict.details.filter((detail) => !elsewhere.has(detail) && !isSaid(detail));
  if (!details.length || report.verdict.status === "no_data") return null;
  return (
    <ul class="details">
      {details.map((detail) => (
        <li key={detail}>{sentence(detail)}</li>
      ))}
    </ul>
  );
}

/** Return what a reader must know before acting. */
export function cautions(report: Report): Fact[] {
  const lines: Fact[] = report.implausible_lifts.map((one) => ({
    id: `doubt ${one.goal_id} ${one.variation_id}`,
    word: ["Too good to be true", "warn"],
    text: sentence(one.message),
  }));
  const stop = report.early_stop;
  // Next to a lift that is not believed at all, a second corrected one would only confuse.
  if (stop && !isDoubtful(report, stop.variation_id))
    lines.push({ id: "stop", word: ["Likely exaggerated", "warn"], text: sentence(stop.message) });
  const time = report.measured_time;
  if (time?.warning && report.computed_at) {
    const goesOn = report.experiment.status === "running" && ["undecided", "too_early"].includes(report.verdict.status);
    const word = time.warning === "under_a_week" ? "Less than a week" : "Not whole weeks";
    lines.push({ id: "time", word: [word, goesOn ? "plain" : "warn"], text: sentence(time.message) });
  }
  return lines;
}

function Conclusion({ report }: { report: Report }) {
  const { learning, winning_variation_id: won } = report.experiment;
  const winner = armsIn(report).find(({ id }) => id === won);
  if (!winner && !learning) return null;
  return (
    <div class="stated">
      <h3>Conclusion of the team</h3>
      {winner && (
        <p>
          The winner: <ArmName arm={winner} />
        </p>
      )}
      {learning && <p dir="auto">{learning}</p>}
    </div>
  );
}

interface FigureOf {
  name: string;
  value: string;
  note: preact.ComponentChildren;
}

function KeyFigures({ report }: { report: Report }) {
  if (!report.computed_at) return null;
  return (
    <dl class="figures">
      {keyFigures(report).map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="soft">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

function keyFigures(report: Report): FigureOf[] {
  const { verdict, plan, experiment, measured_time: time } = report;
  const goal = report.goals.find(({ goal_id }) => goal_id === verdict.goal_id) ?? report.goals[0];
  const rows = goal?.rows.filter(({ is_control }) => !is_control) ?? [];
  const row =
    rows.find(({ variation_id }) => variation_id === verdict.variation_id) ?? (rows.length === 1 ? rows[0] : undefined);
  const visitors = experiment.variations.reduce((sum, each) => sum + each.visitors, 0);
  const figures: FigureOf[] = [
    { name: "Visitors", value: count(visitors), note: `in ${experiment.variations.length} variations` },
  ];
  if (goal && row?.ci && verdict.status !== "not_trusted")
    figures.push({ name: `Lift, ${goal.name}`, value: change(row.lift), note: between(row.ci) });
  const control = goal?.rows.find(({ is_control }) => is_control);
  if (goal && row && control && verdict.status !== "not_trusted") {
    const level = (of: typeof row) => measured(of[goal.metric], goal.metric, currencyOf(goal, of.currency ?? "EUR"));
    figures.push({
      name: goal.name,
      value: `${level(control)} → ${level(row)}`,
      note: `${control.variation_name} → ${row.variation_name}`,
    });
  }
  const worth = worthFigure(report);
  if (worth) figures.push(worth);
  if (time && report.measurement.began_at)
    figures.push({
      name: "Measured for",
      value: daysText(time.days),
      note: (
        <>
          since <Time at={report.measurement.began_at} />
        </>
      ),
    });
  if (plan && plan.reached !== null)
    figures.push({
      name: "Planned sample",
      value: percent(plan.reached, 0),
      note: `of ${count(plan.required_total_visitors)} visitors`,
    });
  return figures;
}

function worthFigure(report: Report): FigureOf | null {
  const { treatments, currency } = report.worth;
  const one =
    treatments.find(({ variation_id }) => variation_id === report.verdict.variation_id) ??
    (treatments.length === 1 ? treatments[0] : undefined);
  if (!one || report.verdict.status === "not_trusted" || isDoubtful(report, one.variation_id)) return null;
  return {
    name: `Worth a month, ${currency}`,
    value: one.is_significant ? rounded(one.amount) : "Not clear",
    note: `${rounded(one.lower)} to ${rounded(one.upper)}`,
  };
}

/** Return an amount that was rounded before, with its sign. */
function rounded(amount: number): string {
  const digits = Number.isInteger(amount) ? 0 : 2;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "exceptZero" } as const;
  return numberFormat(options).format(amount);
}

/** Return a time in days; in hours below two days, in minutes below an hour. */
export function daysText(days: number): string {
  const hours = days * 24;
  if (hours < 1) return unit(Math.floor(hours * 60), "minute");
  return days < 2 ? unit(Math.floor(hours), "hour") : unit(Math.floor(days), "day");
}

function unit(value: number, name: string): string {
  return `${count(value)} ${name}${value === 1 ? "" : "s"}`;
}
