import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Confirm, Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { notify } from "../../kit/toast.tsx";
import { Ago } from "../../kit/values.tsx";

type ApiKey = Schemas["ApiKey"];

interface RotateProps {
  of: ApiKey;
  onClose: () => void;
  onDone: (created: Schemas["ApiKeyCreated"]) => void;
}

/** Replace a key by another with the same rights; both work for a while. */
export function Rotate({ of, onClose, onDone }: RotateProps) {
  const doing = useDoing();
  const [hours, setHours] = useState<number | null>(24);
  const rotate = async () => {
    const params = { path: { key_id: of.id }, header: ifMatch(of) };
    const body = { grace_seconds: Math.round((hours ?? 0) * 3600) };
    onDone(await data(api.POST("/api-keys/{key_id}/rotate", { params, body })));
  };
  return (
    <Dialog title={`Replace ${of.name}`} onClose={onClose}>
      <Form doing={doing} onSubmit={rotate} submit="Make the new key">
        <p>
          A new key with the same rights is made. The old one works on for a while, so that you can change programs.
        </p>
        <NumberField
          path="grace_seconds"
          label="The old key works for"
          value={hours}
          onChange={setHours}
          min={0}
          max={168}
          unit="hours"
          hint="0 where it has leaked: then it ends at once."
          required
        />
      </Form>
    </Dialog>
  );
}

interface RevokeProps {
  of: ApiKey;
  onClose: () => void;
  onDone: (revoked: ApiKey) => void;
}

/** End a key for good, after saying who may still use it. */
export function Revoke({ of, onClose, onDone }: RevokeProps) {
  const [reason, setReason] = useState("");
  const revoke = async () => {
    const params = { path: { key_id: of.id }, header: ifMatch(of) };
    const body = { reason: reason.trim() || null };
    onDone(await data(api.POST("/api-keys/{key_id}/revoke", { params, body })));
    notify("Revoked.");
  };
  return (
    <Confirm title={`Revoke ${of.name}?`} verb="Revoke" isHarmful onConfirm={revoke} onClose={onClose}>
      <p>
        It stops working at once and for good. It was last used: <Ago at={of.last_used_at} />. A program that still uses
        it is refused.
      </p>
      <TextField
        path="reason"
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={500}
        hint="For the audit."
      />
    </Confirm>
  );
}
