import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { count, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

const COLUMNS: readonly Column<Schemas["ScreenshotJob"]>[] = [
  {
    title: "Ordered",
    isName: true,
    cell: (row) => (
      <a href={at("/screenshots", row.job_id)}>
        <Time at={row.created_at} />
      </a>
    ),
  },
  {
    title: "State",
    cell: (row) => (
      <>
        <Status status={row.status} /> {row.status === "running" && `${row.progress} %`}
        {row.error && <small class="soft">{row.error}</small>}
      </>
    ),
  },
  { title: "Pictures", isNumber: true, cell: (row) => count(row.shots) },
  {
    title: "Of",
    cell: (row) =>
      row.experiment_id ? <a href={at("/experiments", row.experiment_id)}>an experiment</a> : "pages as they are",
  },
];

/** Orders of pictures of pages. */
export default function Screenshots() {
  const rows = useRows((cursor) => data(api.GET("/screenshots", { params: { query: { cursor } } })), []);
  const create = may("screenshots:write") && (
    <a class="button primary" href={at("/screenshots/new")}>
      Take pictures
    </a>
  );
  return (
    <Page
      title="Screenshots"
      lead="Pictures of pages in a real browser, as they are or in each variation of an experiment."
      actions={create}
    >
      <List
        caption="Orders of pictures"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.job_id}
        empty={
          <Empty title="No pictures yet" action={create}>
            <p>Show people what visitors will see before they approve it.</p>
          </Empty>
        }
      />
    </Page>
  );
}
