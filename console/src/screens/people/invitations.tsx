import { useState } from "preact/hooks";
import { shopId } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { attempt, notify } from "../../kit/toast.tsx";
import { Time } from "../../kit/values.tsx";
import { identity, session } from "../../session/session.ts";
import { type Access, AccessFields } from "./fields.tsx";
import { type Invited, shopsInWords } from "./roles.ts";

/** Invitations that were not accepted yet. */
export function Invitations({ canManage }: { canManage: boolean }) {
  const invited = useLoaded(() => identity<{ data: Invited[] }>("GET", "/invitations"), [shopId.value]);
  const [isOpen, setOpen] = useState(false);
  const shops = session.value?.shops ?? [];
  const columns: Column<Invited>[] = [
    { title: "Address", isName: true, cell: (row) => row.email },
    { title: "Role", cell: (row) => row.role },
    { title: "Shops", cell: (row) => shopsInWords(row.shop_ids, shops) },
    {
      title: "Ends",
      cell: (row) => (row.is_open ? <Time at={row.expires_at} /> : <Badge tone="bad">has ended</Badge>),
    },
  ];
  const revoke = async (id: string) => {
    await identity("DELETE", `/invitations/${id}`);
    await invited.reload();
  };
  if (canManage) {
    columns.push({
      title: "",
      cell: (row) => (
        <button
          type="button"
          aria-label={`Withdraw the invitation of ${row.email}`}
          onClick={() => void attempt(() => revoke(row.id), "Withdrawn.")}
        >
          Withdraw
        </button>
      ),
    });
  }
  return (
    <Section
      title="Invitations"
      actions={
        canManage && (
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Invite
          </button>
        )
      }
    >
      <Shown of={invited}>
        {({ data }) =>
          data.length ? (
            <Table caption="Invitations" columns={columns} rows={data} keyOf={(row) => row.id} />
          ) : (
            <p class="soft">Nobody is invited at the moment.</p>
          )
        }
      </Shown>
      {isOpen && <Invite onClose={() => setOpen(false)} onDone={invited.reload} />}
    </Section>
  );
}

function Invite({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const doing = useDoing();
  const [email, setEmail] = useState("");
  const [access, setAccess] = useState<Access>({ role: "viewer", shop_ids: null });
  const invite = async () => {
    const body = { email: email.trim(), role: access.role, ...(access.shop_ids && { shop_ids: access.shop_ids }) };
    await identity("POST", "/invitations", body);
    notify(`A mail is on its way to ${body.email}.`);
    onClose();
    await onDone();
  };
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <Form doing={doing} onSubmit={invite} submit="Send the invitation">
        <TextField
          path="email"
          label="E-mail address"
          type="email"
          value={email}
          onChange={setEmail}
          hint="A link goes there. It works once, for seven days."
          required
        />
        <AccessFields draft={access} set={(part) => setAccess({ ...access, ...part })} />
      </Form>
    </Dialog>
  );
}
