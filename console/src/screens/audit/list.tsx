import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded, useRows } from "../../api/loading.ts";
import { SearchFilter } from "../../kit/filters.tsx";
import { fromInput } from "../../kit/moments.ts";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { identity, session, shop } from "../../session/session.ts";
import { type Member, nameOf } from "../people/roles.ts";
import { SERVICE, Who } from "./who.tsx";
import { linesOf, THINGS, titleOf } from "./words.ts";

type Row = Schemas["AuditLog"];

const COLUMNS: readonly Column<Row>[] = [
  { title: "When", cell: (row) => <Time at={row.created_at} /> },
  { title: "Who", cell: (row) => <Who id={row.user_id} /> },
  {
    title: "What",
    isName: true,
    cell: (row) => <a href={at("/audit", row.id)}>{titleOf(row)}</a>,
  },
  { title: "Which", cell: (row) => row.entity_name ?? <span class="soft">–</span> },
  {
    title: "Changed",
    cell: (row) => {
      const fields = linesOf(row.diff).map(({ field }) => field);
      return <span class="words soft">{fields.slice(0, 5).join(", ") + (fields.length > 5 ? " …" : "")}</span>;
    },
  },
];

/** Every change of the shop; the filters are in the address. */
export default function Audit() {
  const { url, query, route } = useLocation();
  const { entity_type, entity_id, action, user_id } = query;
  const zone = shop.value?.timezone ?? "UTC";
  const from = fromInput(query.from ?? "", zone) ?? undefined;
  const to = fromInput(query.to ?? "", zone) ?? undefined;
  const filters = { entity_type, entity_id, action, user_id, from, to };
  const rows = useRows(
    (cursor) => data(api.GET("/audit-logs", { params: { query: { ...filters, cursor } } })),
    Object.values(filters),
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  const people = usePeople(user_id);
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <Page
      title="Audit"
      lead="Who changed what, and when. Each night the changes of a day are sealed, so that none can be altered unnoticed."
      actions={
        <a class="button" href={at("/audit/seals")}>
          Seals
        </a>
      }
    >
      <div class="filters">
        <select
          aria-label="Kind of thing"
          value={entity_type ?? ""}
          onChange={(event) => filter({ entity_type: event.currentTarget.value })}
        >
          <option value="">Everything</option>
          {Object.entries(THINGS)
            .filter(([name]) => name !== "flag")
            .map(([name, { words }]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
        </select>
        <select
          aria-label="By whom"
          value={user_id ?? ""}
          onChange={(event) => filter({ user_id: event.currentTarget.value })}
        >
          <option value="">By anyone</option>
          {people.map(([id, name]) => (
            <option key={id} value={id}>
              By {name}
            </option>
          ))}
        </select>
        <SearchFilter
          label="What was done"
          placeholder="experiment.launch"
          value={action}
          onSearch={(text) => filter({ action: text.trim() })}
        />
        <input
          type="datetime-local"
          aria-label="From"
          title="From"
          value={query.from ?? ""}
          onChange={(event) => filter({ from: event.currentTarget.value })}
        />
        <input
          type="datetime-local"
          aria-label="Until"
          title="Until"
          value={query.to ?? ""}
          onChange={(event) => filter({ to: event.currentTarget.value })}
        />
      </div>
      {entity_id && (
        <p class="note">
          Changes of one thing only.{" "}
          <button type="button" class="link" onClick={() => filter({ entity_id: "" })}>
            Show all
          </button>
        </p>
      )}
      <List
        caption="Changes"
        columns={COLUMNS}
        of={rows}
        keyOf={(row) => row.id}
        empty={rows.hasMore ? <Further more={rows.more} /> : <None isFiltered={isFiltered} />}
      />
    </Page>
  );
}

/** Return those by whom changes can be filtered: the reader, the service, other members, and the chosen person. */
function usePeople(chosen: string | undefined): [id: string, name: string][] {
  const members = useLoaded(() => identity<{ data: Member[] }>("GET", "/members"), [shop.value?.id]);
  const known = new Map<string, string>();
  if (session.value) known.set(session.value.user.id, "me");
  known.set(SERVICE, "the service");
  for (const member of members.data?.data ?? []) if (!member.is_you) known.set(member.user_id, nameOf(member));
  if (chosen && !known.has(chosen)) known.set(chosen, chosen.slice(0, 8));
  return [...known];
}

/** A page of a rare combination may be empty although others follow. */
function Further({ more }: { more: () => Promise<void> }) {
  return (
    <Empty
      title="None among the newest"
      action={
        <button type="button" onClick={() => void more()}>
          Look further back
        </button>
      }
    />
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No change fits these filters" />;
  return (
    <Empty title="Nothing was changed yet">
      <p>Every change of the shop will stand here, with who made it and what was there before.</p>
    </Empty>
  );
}
