import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { inWords, Status } from "../../kit/badge.tsx";
import { SearchFilter } from "../../kit/filters.tsx";
import { More } from "../../kit/more.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { Ago, percent } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { addressOf, type Flag } from "./addresses.ts";

const STATUSES = ["draft", "active", "paused", "archived"] as const;

/** Every flag, with its state in each environment. */
export default function Flags() {
  const { url, query, route } = useLocation();
  const { status, q } = query as { status?: Schemas["FeatureFlag"]["status"]; q?: string };
  const rows = useRows(
    (cursor) =>
      data(
        api.GET("/flags", {
          params: { query: { status, q, cursor, sort: "name", archived: status === "archived" ? "true" : undefined } },
        }),
      ),
    [status, q],
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  return (
    <Page
      title="Flags"
      lead="A flag gives visitors one of two values, which your code reads."
      actions={
        <>
          <a class="button" href={at("/flags/tester")}>
            Who gets what
          </a>
          {may("flags:write") && (
            <a class="button primary" href={at("/flags/new")}>
              New flag
            </a>
          )}
        </>
      }
    >
      <div class="filters">
        <SearchFilter label="Name or key" value={q} onSearch={(text) => filter({ q: text })} />
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
      <Shown of={rows}>
        {(flags) => (flags.length ? <Filled flags={flags} /> : <None isFiltered={Boolean(status || q)} />)}
      </Shown>
      <More of={rows} />
    </Page>
  );
}

function Filled({ flags }: { flags: Flag[] }) {
  const groups = new Map<string, Flag[]>();
  for (const flag of flags) groups.set(flag.key, [...(groups.get(flag.key) ?? []), flag]);
  return (
    <Table
      caption="Flags"
      rows={[...groups.values()]}
      keyOf={(group) => group[0]?.key ?? ""}
      columns={[
        {
          title: "Flag",
          isName: true,
          cell: (group) =>
            group[0] && (
              <>
                <a href={addressOf(group[0])}>{group[0].name}</a>
                <small class="soft">
                  <code>{group[0].key}</code>
                </small>
              </>
            ),
        },
        {
          title: "Environments",
          cell: (group) => (
            <ul>
              {group.map((flag) => (
                <li key={flag.id}>
                  <a href={addressOf(flag)}>{flag.environment_key}</a> <Status status={flag.status} />{" "}
                  {percent(flag.rollout_percentage, 0)} of visitors
                </li>
              ))}
            </ul>
          ),
        },
        { title: "Where it is read", cell: (group) => (group[0]?.delivery_type === "api" ? "servers" : "pages") },
        {
          title: "Changed",
          cell: (group) => (
            <Ago
              at={group
                .map(({ updated_at }) => updated_at)
                .sort()
                .at(-1)}
            />
          ),
        },
      ]}
    />
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No flag has this name and status" />;
  return (
    <Empty
      title="No flag yet"
      action={
        may("flags:write") && (
          <a class="button primary" href={at("/flags/new")}>
            Make the first one
          </a>
        )
      }
    >
      <p>A flag turns a part of your shop on for some visitors and off for others, without a release of your code.</p>
    </Empty>
  );
}
