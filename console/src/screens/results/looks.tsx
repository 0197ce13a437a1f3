import { sentence } from "../../kit/formats.ts";
import { apart } from "../../kit/measure.ts";
import { Section } from "../../kit/page.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { count, percent, Time } from "../../kit/values.tsx";
import { ArmName } from "../../plots/arm.tsx";
import { armsIn } from "./parts.tsx";
import type { Report } from "./wording.ts";

type Planned = NonNullable<Report["planned_looks"]>;
type Look = Planned["treatments"][number]["looks"][number];

const COLUMNS: readonly Column<Look>[] = [
  { title: "Look", cell: (look) => <Time at={look.moment} />, isName: true },
  { title: "Information", cell: (look) => percent(look.information, 0), isNumber: true },
  { title: "Visitors", cell: (look) => count(look.visitors), isNumber: true },
  { title: "Difference", cell: (look) => apart(look.difference, "rate", null), isNumber: true },
  {
    title: "Interval",
    cell: ({ ci }) => (ci ? `${apart(ci.lower, "rate", null)} to ${apart(ci.upper, "rate", null)}` : "–"),
    isNumber: true,
  },
  { title: "z", cell: (look) => look.z.toFixed(2), isNumber: true },
  { title: "Boundary", cell: (look) => look.boundary?.toFixed(2) ?? "–", isNumber: true },
  { title: "Error spent", cell: (look) => percent(look.spent), isNumber: true },
];

/** Looks of a group-sequential plan: only they decide. */
export function Looks({ report }: { report: Report }) {
  const planned = report.planned_looks;
  if (!planned) return null;
  const arms = armsIn(report);
  return (
    <Section
      title="Planned looks"
      lead={`Only these looks decide, and share an error of ${percent(planned.alpha, 1)}; reading results is not one of them. ${sentence(planned.message)}`}
    >
      {planned.treatments.map((one) => (
        <div key={one.variation_id}>
          <h3>
            <ArmName arm={arms.find(({ id }) => id === one.variation_id)} />
          </h3>
          <p class="lead">{sentence(one.message)}</p>
          {one.looks.length > 0 && (
            <Table caption="Planned looks" columns={COLUMNS} rows={one.looks} keyOf={(look) => look.moment} />
          )}
        </div>
      ))}
    </Section>
  );
}
