import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { inWords, Status } from "../../kit/badge.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import type { Brief } from "./fields.tsx";

const COLUMNS: readonly Column<Brief>[] = [
  { title: "Angle", isName: true, cell: (row) => <a href={at("/content-briefs", row.id)}>{row.angle}</a> },
  { title: "Kind", cell: (row) => inWords(row.format) },
  { title: "Status", cell: (row) => <Status status={row.status} /> },
  { title: "Audience", cell: (row) => row.audience ?? "–" },
  { title: "Made", cell: (row) => <Ago at={row.created_at} /> },
];

/** What pages should say, to whom, and with which proof. */
export default function Briefs() {
  const rows = useRows((cursor) => data(api.GET("/content-briefs", { params: { query: { cursor } } })), []);
  const create = may("landing_pages:write") && (
    <a class="button primary" href={at("/content-briefs", "new")}>
      New brief
    </a>
  );
  return (
    <Page
      title="Content briefs"
      above={<a href={at("/landing-pages")}>Landing pages</a>}
      lead="A brief is what a page should say, to whom, and with which proof."
      actions={create}
    >
      <List
        caption="Content briefs"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={
          <Empty title="No brief yet" action={create}>
            <p>Write down the angle and its proof before the page: each version keeps a copy of its brief.</p>
          </Empty>
        }
      />
    </Page>
  );
}
