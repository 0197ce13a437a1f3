import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { SearchFilter } from "../../kit/filters.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { sizeInWords } from "../../kit/upload.ts";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

type File = Schemas["WorkspaceFile"];

/** Return the address of a file of the workspace; its path has slashes, so it is in the query. */
export function fileAddress(path: string): string {
  return withQuery(at("/files/open"), { path });
}

const COLUMNS: readonly Column<File>[] = [
  { title: "File", isName: true, cell: (row) => <a href={fileAddress(row.path)}>{row.path}</a> },
  { title: "Kind", cell: (row) => (row.readonly ? <Badge>generated</Badge> : row.kind) },
  { title: "Size", isNumber: true, cell: (row) => sizeInWords(row.sizeBytes) },
  { title: "Changed", cell: (row) => (row.readonly ? "always current" : <Ago at={row.updatedAt} />) },
];

/** Notes, briefs and data of the team, next to what the service generates. */
export default function Files() {
  const { url, query, route } = useLocation();
  const { kind, prefix } = query as { kind?: File["kind"]; prefix?: string };
  const rows = useRows(
    (cursor) => data(api.GET("/workspace/files", { params: { query: { kind, prefix, cursor } } })),
    [kind, prefix],
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  return (
    <Page
      title="Workspace"
      lead="Notes, briefs and data of your team, next to what we generate: for people, and for programs that write for the shop."
      actions={
        <>
          {may("experiments:write") && (
            <a class="button" href={at("/files/import")}>
              Experiment from files
            </a>
          )}
          {may("workspace:write") && (
            <a class="button primary" href={at("/files/new")}>
              New file
            </a>
          )}
        </>
      }
    >
      <div class="filters">
        <SearchFilter
          label="Folder"
          placeholder="Folder, such as notes/"
          value={prefix}
          onSearch={(text) => filter({ prefix: text })}
        />
        <select aria-label="Kind" value={kind ?? ""} onChange={(event) => filter({ kind: event.currentTarget.value })}>
          <option value="">Every kind</option>
          <option value="note">Notes</option>
          <option value="brief">Briefs</option>
          <option value="data">Data</option>
          <option value="generated">Generated</option>
        </select>
      </div>
      <List
        caption="Files"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.path}
        empty={
          prefix || kind ? (
            <Empty title="No file is like this" />
          ) : (
            <Empty title="No file yet">
              <p>Keep here what people and programs should know about your shop: notes, briefs, data.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
