import { useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Ago, change, count, money, percent } from "../../kit/values.tsx";
import { PersonalizationTabs } from "./personalization.tsx";

type Row = Schemas["ResultRow"];
type GoalResult = Schemas["GoalResult"];

const SECONDS = 30;

/** What each experience does, beside the visitors who could see it and did not. */
export default function Results() {
  const personalization_id = useRoute().params.personalization_id ?? "";
  const path = { personalization_id };
  const item = useLoaded(
    () => data(api.GET("/personalizations/{personalization_id}", { params: { path } })),
    [personalization_id],
  );
  const results = useLoaded(
    () => data(api.GET("/personalizations/{personalization_id}/results", { params: { path } })),
    [personalization_id],
    { every: SECONDS },
  );
  return (
    <Page
      title={item.data?.name ?? "Personalization"}
      above={<a href={at("/personalizations")}>Personalizations</a>}
      beside={item.data && <Status status={item.data.status} />}
    >
      <PersonalizationTabs id={personalization_id} current="results" />
      <Shown of={results}>
        {({ experiences }) =>
          experiences.length ? (
            experiences.map((each) => <Experience key={each.experience_id} of={each} />)
          ) : (
            <Empty title="No experience has results">
              <p>Results come with the first visitors, if the personalization has goals.</p>
            </Empty>
          )
        }
      </Shown>
    </Page>
  );
}

function Experience({ of }: { of: Schemas["ExperienceResults"] }) {
  const { results, experience_name } = of;
  return (
    <Section
      title={experience_name}
      lead={
        results.computed_at ? (
          <>
            Counted <Ago at={results.computed_at} />. Visitors who see it are compared with those who do not.
          </>
        ) : (
          "Nothing is counted yet."
        )
      }
    >
      {results.goals.length === 0 && (
        <Empty title="No goal measures this">
          <p>Choose goals in the settings.</p>
        </Empty>
      )}
      {results.goals.map((goal) => (
        <Goal key={goal.goal_id} goal={goal} experienceId={of.experience_id} />
      ))}
    </Section>
  );
}

function Goal({ goal, experienceId }: { goal: GoalResult; experienceId: string }) {
  const columns: Column<Row>[] = [
    {
      title: goal.name,
      isName: true,
      cell: (row) => (row.variation_id === experienceId ? "Shown" : "Not shown"),
    },
    { title: "Visitors", isNumber: true, cell: (row) => count(row.visitors) },
    { title: "Converted", isNumber: true, cell: (row) => count(row.conversions) },
    { title: "Result", isNumber: true, cell: (row) => figure(row, goal) },
    {
      title: "Change",
      isNumber: true,
      cell: (row) => (
        <>
          {change(row.lift)}
          {row.ci && (
            <small class="soft">
              {change(row.ci.lower)} to {change(row.ci.upper)}
            </small>
          )}
        </>
      ),
    },
    { title: "What it means", cell: (row) => row.message },
  ];
  return <Table caption={goal.name} columns={columns} rows={goal.rows} keyOf={(row) => row.variation_id} />;
}

function figure(row: Row, { metric, type }: GoalResult): string {
  if (metric === "rate") return percent(row.rate);
  const value = row.mean ?? row.ratio ?? row.value;
  return type === "revenue" ? money(value) : value === null ? "–" : value.toFixed(2);
}
