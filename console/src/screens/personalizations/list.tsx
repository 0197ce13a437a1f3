import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { useLeaveWarning } from "../../kit/leave.ts";
import { Page, Section } from "../../kit/page.tsx";
import { type Library, useLibrary } from "../../kit/rules/targeting.tsx";
import { targetingInWords } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";
import { Sortable } from "../../kit/sortable.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { percent } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

type Personalization = Schemas["Personalization"];

const MOST = 100;

/** Every personalization in the order in which the shop tries them. */
export default function Personalizations() {
  const { url, query, route } = useLocation();
  const isArchive = query.archived === "true";
  const library = useLibrary();
  const all = useLoaded(() => readAll(isArchive), [isArchive]);
  const create = may("personalizations:write") && (
    <a class="button primary" href={at("/personalizations/new")}>
      New personalization
    </a>
  );
  return (
    <Page
      title="Personalizations"
      lead="Content for some visitors, without an end. On each place of a page, the first one that fits is shown."
      actions={create}
    >
      <div class="filters">
        <select
          aria-label="Which"
          value={isArchive ? "true" : ""}
          onChange={(event) => route(withQuery(url, { archived: event.currentTarget.value }), true)}
        >
          <option value="">In use</option>
          <option value="true">Archived</option>
        </select>
      </div>
      <Shown of={all}>
        {(items) =>
          items.length ? (
            <Environments items={items} of={all} library={library.data} isFixed={isArchive} />
          ) : isArchive ? (
            <Empty title="Nothing is archived" />
          ) : (
            <Empty title="No personalization yet" action={create}>
              <p>Show a returning visitor a shorter home page, or people from a newsletter what it wrote about.</p>
            </Empty>
          )
        }
      </Shown>
    </Page>
  );
}

async function readAll(isArchive: boolean): Promise<Personalization[]> {
  const items: Personalization[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: MOST, cursor, archived: isArchive ? ("true" as const) : undefined };
    const page = await data(api.GET("/personalizations", { params: { query } }));
    items.push(...page.data);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor);
  return items;
}

/** Return the personalizations as they are served: by priority, then the older first. */
export function served<T extends Pick<Personalization, "priority" | "created_at">>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.priority - b.priority || a.created_at.localeCompare(b.created_at));
}

interface EnvironmentsProps {
  items: Personalization[];
  of: Loaded<Personalization[]>;
  library: Library | null;
  isFixed: boolean;
}

function Environments({ items, ...rest }: EnvironmentsProps) {
  const names = [...new Set(items.map(({ environment_key }) => environment_key))].sort();
  return (
    <>
      {names.map((name) => (
        <Order
          key={name}
          title={names.length > 1 || name !== "production" ? name : "In the order as they are tried"}
          items={served(items.filter(({ environment_key }) => environment_key === name))}
          {...rest}
        />
      ))}
    </>
  );
}

function Order({ title, items, of, library, isFixed }: EnvironmentsProps & { title: string }) {
  const [order, setOrder] = useState<Personalization[] | null>(null);
  const doing = useDoing();
  useLeaveWarning(order !== null);
  const save = async () => {
    saved(await data(api.PUT("/personalizations/order", { body: { ids: (order ?? items).map(({ id }) => id) } })));
    await of.reload();
    setOrder(null);
  };
  return (
    <Section
      title={title}
      actions={
        order && (
          <>
            <button type="button" class="primary" disabled={doing.isBusy} onClick={() => void doing.run(save)}>
              Save the order
            </button>
            <button type="button" onClick={() => setOrder(null)}>
              Undo
            </button>
          </>
        )
      }
    >
      {doing.problem && (
        <p class="problem" role="alert">
          {doing.problem.message}
        </p>
      )}
      <Sortable
        label={title}
        items={order ?? items}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        onMove={setOrder}
        isFixed={isFixed || items.length < 2 || !may("personalizations:write")}
      >
        {(item) => <Item item={item} library={library} />}
      </Sortable>
    </Section>
  );
}

function Item({ item, library }: { item: Personalization; library: Library | null }) {
  const { where, whom } = targetingInWords(item.targeting, library?.names ?? new Map());
  return (
    <>
      <div class="line">
        <strong>
          <a href={at("/personalizations", item.id)}>{item.name}</a>
        </strong>
        <Status status={item.status} />
        <span class="spring" />
        <span class="soft">place: {item.surface}</span>
      </div>
      <p class="soft">
        {where}; {whom}; {percent(item.rollout_percentage, 0)} of these visitors;{" "}
        {item.experiences.map(({ name }) => name).join(", ") || "no experience yet"}
      </p>
    </>
  );
}
