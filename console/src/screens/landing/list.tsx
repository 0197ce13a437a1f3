import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { inWords, Status } from "../../kit/badge.tsx";
import { SearchFilter } from "../../kit/filters.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago, count } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { addressOf } from "./words.ts";

type Summary = Schemas["LandingPageSummary"];

const COLUMNS: readonly Column<Summary>[] = [
  { title: "Page", isName: true, cell: (row) => <a href={at("/landing-pages", row.id)}>{row.name}</a> },
  { title: "Status", cell: (row) => <Status status={row.status} /> },
  { title: "Address", cell: addressOf },
  { title: "Versions", isNumber: true, cell: (row) => count(row._count.versions) },
  { title: "Publishes", isNumber: true, cell: (row) => count(row._count.publishes) },
  { title: "Changed", cell: (row) => <Ago at={row.updated_at} /> },
];

const STATUSES = ["draft", "in_review", "ready", "published", "unpublished", "archived"] as const;

/** The landing pages of the shop. */
export default function LandingPages() {
  const { url, query, route } = useLocation();
  const { status, q } = query as { status?: Summary["status"]; q?: string };
  const archived = status === "archived" ? ("true" as const) : undefined;
  const rows = useRows(
    (cursor) =>
      data(api.GET("/landing-pages", { params: { query: { status, q, cursor, archived, sort: "-updated_at" } } })),
    [status, q],
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  const create = may("landing_pages:write") && (
    <a class="button primary" href={at("/landing-pages/new")}>
      New page
    </a>
  );
  return (
    <Page
      title="Landing pages"
      lead="Whole pages at an address of your shop: written as blocks, checked, published and rolled back."
      actions={
        <>
          <a class="button" href={at("/content-briefs")}>
            Briefs
          </a>
          {create}
        </>
      }
    >
      <div class="filters">
        <SearchFilter label="Name" value={q} onSearch={(text) => filter({ q: text })} />
        <select
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => filter({ status: event.currentTarget.value })}
        >
          <option value="">Every status</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {inWords(each)}
            </option>
          ))}
        </select>
      </div>
      <List
        caption="Landing pages"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={
          q || status ? (
            <Empty title="No page is like this" />
          ) : (
            <Empty title="No landing page yet" action={create}>
              <p>
                A landing page is made of blocks, without a line of HTML, so that it is fast and works for everyone.
              </p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
