import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago, count, percent } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

type Group = Schemas["ExclusionGroup"];

const COLUMNS: readonly Column<Group>[] = [
  { title: "Group", isName: true, cell: (row) => <a href={at("/exclusion-groups", row.id)}>{row.name}</a> },
  { title: "Experiments", isNumber: true, cell: (row) => count(row.members.length) },
  {
    title: "Traffic given away",
    isNumber: true,
    cell: (row) =>
      percent(
        row.members.reduce((sum, { share }) => sum + share, 0),
        0,
      ),
  },
  { title: "Changed", cell: (row) => <Ago at={row.updated_at} /> },
];

/** Groups of experiments that share their visitors out. */
export default function Groups() {
  const rows = useRows(
    (cursor) => data(api.GET("/exclusion-groups", { params: { query: { cursor, sort: "name" } } })),
    [],
  );
  const create = may("experiments:write") && (
    <a class="button primary" href={at("/exclusion-groups/new")}>
      New group
    </a>
  );
  return (
    <Page title="Exclusion groups" lead="A visitor takes part in one experiment of a group at most." actions={create}>
      <List
        caption="Exclusion groups"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={
          <Empty title="No group yet" action={create}>
            <p>Put experiments into a group that would disturb each other, such as two on the same checkout.</p>
          </Empty>
        }
      />
    </Page>
  );
}
