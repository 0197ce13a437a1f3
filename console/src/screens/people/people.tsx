import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { shopId } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { identity, session, shop } from "../../session/session.ts";
import { Invitations } from "./invitations.tsx";
import { Change } from "./member.tsx";
import { type Member, nameOf, ROLES, shopsInWords } from "./roles.ts";

/** The people of the organisation; whoever came with a key of a shop is none of them. */
export default function PeopleScreen() {
  if (shop.value?.role) return <People />;
  return (
    <Page title="People">
      <Empty title="You signed in with a key">
        <p>A key belongs to a program, not to a person. Sign in as yourself to see the others and to invite.</p>
      </Empty>
    </Page>
  );
}

/** Everyone who has access to the shops of the organisation, and who is invited. */
function People() {
  const members = useLoaded(() => identity<{ data: Member[] }>("GET", "/members"), [shopId.value]);
  const [changed, setChanged] = useState<Member | null>(null);
  const canManage = shop.value?.role === "admin" || shop.value?.role === "owner";
  const shops = session.value?.shops ?? [];
  const columns: Column<Member>[] = [
    {
      title: "Name",
      isName: true,
      cell: (row) => (
        <>
          {nameOf(row)} {row.is_you && <Badge>you</Badge>}
          {row.name && row.email && <small class="soft">{row.email}</small>}
        </>
      ),
    },
    { title: "Role", cell: (row) => <span title={ROLES[row.role]}>{row.role}</span> },
    { title: "Shops", cell: (row) => shopsInWords(row.shop_ids, shops) },
    { title: "State", cell: (row) => <State of={row} /> },
    { title: "Since", cell: (row) => (row.created_at ? <Ago at={row.created_at} /> : "the first day") },
  ];
  if (canManage) {
    columns.push({
      title: "",
      cell: (row) => (
        <button type="button" aria-label={`Change ${nameOf(row)}`} onClick={() => setChanged(row)}>
          Change
        </button>
      ),
    });
  }
  return (
    <Page
      title="People"
      lead="Each person signs in with a passkey of their own: the lock of their phone or computer. When someone leaves, remove them: their access ends within seconds."
      actions={
        <a class="button" href={at("/people/me")}>
          My account
        </a>
      }
    >
      <Shown of={members}>
        {({ data }) => <Table caption="People" columns={columns} rows={data} keyOf={(row) => row.user_id} />}
      </Shown>
      {changed && <Change member={changed} onClose={() => setChanged(null)} onDone={members.reload} />}
      <Invitations canManage={canManage} />
      <Roles />
    </Page>
  );
}

function State({ of }: { of: Member }) {
  if (of.disabled_at) return <Badge tone="bad">switched off</Badge>;
  return of.has_passkey ? <Badge tone="good">has a passkey</Badge> : <Badge tone="warn">no passkey yet</Badge>;
}

function Roles() {
  return (
    <details class="apart">
      <summary>What each role may do</summary>
      <dl class="facts">
        {Object.entries(ROLES).flatMap(([role, words]) => [<dt key={role}>{role}</dt>, <dd key={words}>{words}</dd>])}
      </dl>
    </details>
  );
}
