import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { SearchFilter } from "../../kit/filters.tsx";
import { Page } from "../../kit/page.tsx";
import { pageInWords } from "../../kit/rules/words.ts";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

const COLUMNS: readonly Column<Schemas["Page"]>[] = [
  { title: "Page", isName: true, cell: (row) => <a href={at("/pages", row.id)}>{row.name}</a> },
  { title: "Where it is", cell: pageInWords },
  { title: "Changed", cell: (row) => <Ago at={row.updated_at} /> },
];

/** The pages of the shop: addresses that experiments, flags and personalizations refer to by a name. */
export default function Pages() {
  const { url, query, route } = useLocation();
  const { q } = query;
  const rows = useRows((cursor) => data(api.GET("/pages", { params: { query: { q, cursor, sort: "name" } } })), [q]);
  const create = may("experiments:write") && (
    <a class="button primary" href={at("/pages/new")}>
      New page
    </a>
  );
  return (
    <Page
      title="Pages"
      lead="A page is a set of addresses with a name. What refers to it follows when you change it."
      actions={create}
    >
      <div class="filters">
        <SearchFilter label="Name" value={q} onSearch={(text) => route(withQuery(url, { q: text }), true)} />
      </div>
      <List
        caption="Pages"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={
          q ? (
            <Empty title="No page has this name" />
          ) : (
            <Empty title="No page yet" action={create}>
              <p>Name the kinds of pages of your shop once, such as product pages, and use them in every test.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
