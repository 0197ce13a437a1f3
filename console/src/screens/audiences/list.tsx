import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { SearchFilter } from "../../kit/filters.tsx";
import { Page } from "../../kit/page.tsx";
import { audienceInWords } from "../../kit/rules/words.ts";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

const COLUMNS: readonly Column<Schemas["Audience"]>[] = [
  { title: "Audience", isName: true, cell: (row) => <a href={at("/audiences", row.id)}>{row.name}</a> },
  { title: "Who is in it", cell: (row) => audienceInWords(row.rules) },
  { title: "Changed", cell: (row) => <Ago at={row.updated_at} /> },
];

/** The audiences of the shop: conditions that experiments, flags and personalizations refer to by a name. */
export default function Audiences() {
  const { url, query, route } = useLocation();
  const { q } = query;
  const rows = useRows(
    (cursor) => data(api.GET("/audiences", { params: { query: { q, cursor, sort: "name" } } })),
    [q],
  );
  const create = may("experiments:write") && (
    <a class="button primary" href={at("/audiences/new")}>
      New audience
    </a>
  );
  return (
    <Page
      title="Audiences"
      lead="An audience is a group of visitors with a name. What refers to it follows when you change it."
      actions={create}
    >
      <div class="filters">
        <SearchFilter label="Name" value={q} onSearch={(text) => route(withQuery(url, { q: text }), true)} />
      </div>
      <List
        caption="Audiences"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={
          q ? (
            <Empty title="No audience has this name" />
          ) : (
            <Empty title="No audience yet" action={create}>
              <p>Name the groups of visitors that you show other things to, such as new visitors on phones.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
