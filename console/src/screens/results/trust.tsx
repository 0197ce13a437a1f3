import { inWords } from "../../kit/badge.tsx";
import { sentence } from "../../kit/formats.ts";
import { pValue } from "../../kit/measure.ts";
import { Section } from "../../kit/page.tsx";
import { Ago, count } from "../../kit/values.tsx";
import { armsIn, type Fact, Facts } from "./parts.tsx";
import { ACTIONS, GAPS, GUARDRAILS, type Report, SEVERITIES } from "./wording.ts";

/** Whether the numbers can be trusted: the split, what Guardian saw, what is missing. */
export function Trust({ report }: { report: Report }) {
  return (
    <Section title="Can the numbers be trusted?">
      <Facts lines={trustFacts(report)} />
    </Section>
  );
}

/** Return a fact for each doubt, and for what is in order. */
export function trustFacts(report: Report): Fact[] {
  const lines = [splitFact(report)];
  for (const finding of report.health) {
    if (finding.kind === "sample_ratio_mismatch") continue; // the line of the split has it
    const [severity, tone] = SEVERITIES[finding.severity];
    lines.push({
      id: finding.kind,
      word: [`${severity}: ${inWords(finding.kind)}`, tone],
      text: sentence(finding.message),
      more: <Done finding={finding} />,
    });
  }
  if (report.multiple_exposure && !report.health.some(({ kind }) => kind === "multiple_exposure"))
    lines.push({
      id: "twice",
      word: ["Seen in two variations", "plain"],
      text: `${count(report.multiple_exposure)} visitors, too few to matter, are left out of everything.`,
    });
  for (const reason of report.coverage.reasons)
    lines.push({ id: reason, word: ["Coverage", "warn"], text: GAPS[reason] });
  const guardian = guardianFact(report);
  return guardian ? [...lines, guardian] : lines;
}

function splitFact(report: Report): Fact {
  const { srm } = report;
  if (srm.status === "not_evaluable")
    return {
      id: "split",
      word: ["Split not known yet", "plain"],
      text: "There are too few visitors yet to say how they are split.",
    };
  const chances = [
    srm.p_value !== null && `p ${equals(srm.p_value)}`,
    srm.sequential_p_value !== null && `over all looks p ${equals(srm.sequential_p_value)}`,
  ].filter(Boolean);
  const figures = chances.length ? ` (${chances.join(", ")})` : "";
  if (srm.status === "ok")
    return {
      id: "split",
      word: ["Split as planned", "good"],
      text: `Visitors are split as the weights say${figures}.`,
    };
  const finding = report.health.find(({ kind }) => kind === "sample_ratio_mismatch");
  const seen = armsIn(report).map(
    ({ id, name }) => `${name}: ${count(srm.observed[id])} of ${count(Math.round(srm.expected[id] ?? 0))}`,
  );
  return {
    id: "split",
    word: ["Split is off", "bad"],
    text: `${sentence(finding?.message ?? "Visitors are not split as the weights say")} Seen of expected: ${seen.join("; ")}${figures}.`,
    more: finding && <Done finding={finding} />,
  };
}

function equals(p: number): string {
  const text = pValue(p);
  return text.startsWith("<") ? `< ${text.slice(1)}` : `= ${text}`;
}

function Done({ finding }: { finding: Report["health"][number] }) {
  return (
    <>
      {finding.action && ACTIONS[finding.action]}{" "}
      {finding.detected_at && (
        <>
          Seen <Ago at={finding.detected_at} />.
        </>
      )}
    </>
  );
}

function guardianFact(report: Report): Fact | null {
  const isCounted = report.computed_at !== null && !report.health.length;
  if (report.checked_at)
    return isCounted
      ? {
          id: "guardian",
          word: ["Nothing out of order", "good"],
          text: (
            <>
              Guardian looked last <Ago at={report.checked_at} />.
            </>
          ),
        }
      : null;
  if (!report.experiment.started_at) return null;
  const text =
    report.experiment.status === "running"
      ? "Guardian has not looked yet; it does so every fifteen minutes."
      : "Guardian has not looked at this measurement.";
  return { id: "guardian", word: ["Not looked at yet", "plain"], text };
}

/** What each guardrail shows in each treatment. */
export function Guardrails({ report }: { report: Report }) {
  if (!report.guardrails.length) return null;
  return (
    <Section
      title="Guardrails"
      lead="Goals that must not suffer, each tested for harm at every look. That no harm is shown does not prove safety."
    >
      <Facts
        lines={report.guardrails.map((one) => ({
          id: one.goal_id + one.variation_id,
          word: GUARDRAILS[one.status],
          text: sentence(one.message),
        }))}
      />
    </Section>
  );
}
