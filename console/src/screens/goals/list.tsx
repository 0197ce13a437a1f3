import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { SearchFilter } from "../../kit/filters.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { countedInWords, type Goal, measuredInWords } from "./words.ts";

const COLUMNS: readonly Column<Goal>[] = [
  {
    title: "Goal",
    isName: true,
    cell: (row) => (
      <>
        <a href={at("/goals", row.id)}>{row.name}</a> {row.archived_at && <Badge>archived</Badge>}
      </>
    ),
  },
  { title: "Counts", cell: countedInWords },
  { title: "Measured as", cell: measuredInWords },
  { title: "Changed", cell: (row) => <Ago at={row.updated_at} /> },
];

/** The goals of the shop, for every experiment and personalization. */
export default function Goals() {
  const { url, query, route } = useLocation();
  const { q, archived } = query as { q?: string; archived?: "true" };
  const rows = useRows(
    (cursor) => data(api.GET("/goals", { params: { query: { q, archived, cursor, sort: "name" } } })),
    [q, archived],
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  const create = may("experiments:write") && (
    <a class="button primary" href={at("/goals/new")}>
      New goal
    </a>
  );
  return (
    <Page
      title="Goals"
      lead="A goal is what you measure. Experiments take a copy of it, so a later change leaves their results alone."
      actions={create}
    >
      <div class="filters">
        <SearchFilter label="Name" value={q} onSearch={(text) => filter({ q: text })} />
        <select
          aria-label="Which"
          value={archived ?? ""}
          onChange={(event) => filter({ archived: event.currentTarget.value })}
        >
          <option value="">In use</option>
          <option value="true">Archived</option>
        </select>
      </div>
      <List
        caption="Goals"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={
          q || archived ? (
            <Empty title="No goal is like this" />
          ) : (
            <Empty title="No goal yet" action={create}>
              <p>Define once what counts, such as "Added to cart", and take it into every test.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
