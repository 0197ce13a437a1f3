import { useState } from "preact/hooks";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Confirm, Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { notify } from "../../kit/toast.tsx";
import { Ago, Time } from "../../kit/values.tsx";
import { addPasskey, hasPasskeys, type Passkey } from "../../session/passkeys.ts";
import { identity, session } from "../../session/session.ts";
import { browserIn } from "./roles.ts";

type List = { data: Passkey[] };
type Open = { verb: "rename" | "remove"; passkey: Passkey } | null;

/** The passkeys with which one signs in. */
export function Passkeys() {
  const loaded = useLoaded(() => identity<List>("GET", "/passkeys"), [session.value?.user.id]);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const columns: Column<Passkey>[] = [
    { title: "Name", isName: true, cell: (row) => row.name },
    { title: "Added", cell: (row) => <Time at={row.created_at} /> },
    { title: "Last used", cell: (row) => <Ago at={row.last_used_at} /> },
    {
      title: "",
      cell: (passkey) => (
        <span class="tools">
          <button
            type="button"
            aria-label={`Rename ${passkey.name}`}
            onClick={() => setOpen({ verb: "rename", passkey })}
          >
            Rename
          </button>
          <button
            type="button"
            class="harm"
            aria-label={`Remove ${passkey.name}`}
            onClick={() => setOpen({ verb: "remove", passkey })}
          >
            Remove
          </button>
        </span>
      ),
    },
  ];
  return (
    <Section
      title="Passkeys"
      lead="You sign in with your phone's or computer's lock, or with a security key. Nothing has to be remembered, and nothing can be stolen by a false page. Add a second one, in case the first is lost."
    >
      <Shown of={loaded}>
        {({ data }) =>
          data.length ? (
            <Table caption="Passkeys" columns={columns} rows={data} keyOf={(row) => row.id} />
          ) : (
            <p class="note">You have none yet.</p>
          )
        }
      </Shown>
      <Add loaded={loaded} />
      {open?.verb === "rename" && <Rename passkey={open.passkey} onClose={close} onDone={loaded.reload} />}
      {open?.verb === "remove" && <Remove passkey={open.passkey} onClose={close} onDone={loaded.reload} />}
    </Section>
  );
}

function Add({ loaded }: { loaded: Loaded<List> }) {
  const doing = useDoing();
  const [name, setName] = useState(() => browserIn(navigator.userAgent));
  const add = async () => {
    await addPasskey(name.trim());
    notify("Added. Sign in with it from now on.");
    await loaded.reload();
  };
  if (!hasPasskeys()) return <p class="note warn">This browser has no passkeys. Open the console in a newer one.</p>;
  return (
    <div class="apart">
      <Form doing={doing} onSubmit={add} submit="Add a passkey of this device">
        <TextField
          path="name"
          label="Name of the new passkey"
          value={name}
          onChange={setName}
          maxLength={100}
          required
        />
        {doing.problem?.code === "passkey_notice_required" && <Replace />}
      </Form>
    </div>
  );
}

/** Without any of the old passkeys: a notice to the address, and a new one a day later. */
function Replace() {
  const doing = useDoing();
  const [at, setAt] = useState<string | null>(null);
  const announce = async () => {
    const answer = await identity<{ replaceable_at: string }>("POST", "/passkeys/replacement");
    setAt(answer.replaceable_at);
  };
  if (at) {
    return (
      <p class="note">
        A notice was mailed to you. From <Time at={at} /> on, sign in with a code and add a passkey here: it replaces
        the lost ones.
      </p>
    );
  }
  return (
    <div class="note warn">
      <p>
        You have lost your passkeys? A notice goes to your address, in case it is not you; a day later you can replace
        them. An invitation by an admin is faster.
      </p>
      <button type="button" disabled={doing.isBusy} onClick={() => void doing.run(announce)}>
        Replace lost passkeys
      </button>
      {doing.problem && <p role="alert">{doing.problem.message}</p>}
    </div>
  );
}

interface OneProps {
  passkey: Passkey;
  onClose: () => void;
  onDone: () => Promise<void>;
}

function Rename({ passkey, onClose, onDone }: OneProps) {
  const doing = useDoing();
  const [name, setName] = useState(passkey.name);
  const rename = async () => {
    await identity("PATCH", `/passkeys/${passkey.id}`, { name: name.trim() });
    onClose();
    await onDone();
  };
  return (
    <Dialog title="Rename the passkey" onClose={onClose}>
      <Form doing={doing} onSubmit={rename} submit="Save">
        <TextField path="name" label="Name" value={name} onChange={setName} maxLength={100} required />
      </Form>
    </Dialog>
  );
}

function Remove({ passkey, onClose, onDone }: OneProps) {
  const remove = async () => {
    await identity("DELETE", `/passkeys/${passkey.id}`);
    await onDone();
  };
  return (
    <Confirm title={`Remove ${passkey.name}?`} verb="Remove" isHarmful onConfirm={remove} onClose={onClose}>
      <p>You can no longer sign in with it. Delete it on the device, too, so that it is not offered there.</p>
    </Confirm>
  );
}
