import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { inShort, stateOf } from "./scopes.ts";

type ApiKey = Schemas["ApiKey"];

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    title: "Name",
    isName: true,
    cell: (row) => (
      <>
        <a href={at("/keys", row.id)}>{row.name}</a>
        <small class="soft">
          <code>{shownPart(row)}</code>
        </small>
      </>
    ),
  },
  { title: "May", cell: (row) => <span class="words">{inShort(row)}</span> },
  { title: "State", cell: (row) => <KeyState of={row} /> },
  { title: "Last used", cell: (row) => <Ago at={row.last_used_at} /> },
  { title: "Expires", cell: (row) => (row.expires_at ? <Time at={row.expires_at} /> : "never") },
];

export function KeyState({ of }: { of: ApiKey }) {
  const { words, tone } = stateOf(of, Date.now());
  return <Badge tone={tone}>{words}</Badge>;
}

/** Return the parts of a key by which a person recognises it. */
export function shownPart(key: ApiKey): string {
  return `${key.key_prefix}…${key.last_four}`;
}

/** The keys with which programs call the API. */
export default function Keys() {
  const { url, query, route } = useLocation();
  const archived = query.archived === "true" ? "true" : "false";
  const rows = useRows((cursor) => data(api.GET("/api-keys", { params: { query: { archived, cursor } } })), [archived]);
  return (
    <Page
      title="API keys"
      lead="A key lets a program do here what you allow it. Give each program its own, with no more rights than it needs."
      actions={
        may("keys:write") && (
          <a class="button primary" href={at("/keys/new")}>
            New key
          </a>
        )
      }
    >
      <div class="filters">
        <select
          aria-label="Which keys"
          value={archived}
          onChange={(event) => {
            const isArchive = event.currentTarget.value === "true";
            route(withQuery(url, { archived: isArchive ? "true" : "" }), true);
          }}
        >
          <option value="false">In use</option>
          <option value="true">Revoked</option>
        </select>
      </div>
      <List caption="API keys" columns={COLUMNS} of={rows} keyOf={(row) => row.id} empty={<None />} />
    </Page>
  );
}

function None() {
  return (
    <Empty title="No key here">
      <p>The console needs none. A program, a server that sends orders, or the command line needs one.</p>
    </Empty>
  );
}
