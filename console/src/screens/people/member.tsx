import { useState } from "preact/hooks";
import { useDoing } from "../../api/loading.ts";
import { CheckField } from "../../kit/choices.tsx";
import { Confirm, Dialog } from "../../kit/dialog.tsx";
import { differing } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { notify } from "../../kit/toast.tsx";
import { identity } from "../../session/session.ts";
import { AccessFields } from "./fields.tsx";
import { type Member, nameOf } from "./roles.ts";

interface ChangeProps {
  member: Member;
  onClose: () => void;
  onDone: () => Promise<void>;
}

/** Change somebody's role, shops or access, or remove them. */
export function Change({ member, onClose, onDone }: ChangeProps) {
  const doing = useDoing();
  const stored = { role: member.role, shop_ids: member.shop_ids, is_disabled: member.disabled_at !== null };
  const [draft, setDraft] = useState(stored);
  const [isRemoving, setRemoving] = useState(false);
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const changed = differing(stored, draft);
  const save = async () => {
    await identity("PATCH", `/members/${member.user_id}`, changed);
    notify("Saved.");
    onClose();
    await onDone();
  };
  const remove = async () => {
    await identity("DELETE", `/members/${member.user_id}`);
    notify("Removed.");
    await onDone();
  };
  if (isRemoving) {
    return (
      <Confirm title={`Remove ${nameOf(member)}?`} verb="Remove" isHarmful onConfirm={remove} onClose={onClose}>
        <p>
          {member.is_you
            ? "You leave this organisation, and need an invitation to come back."
            : "All sessions end at once. What this person made stays; keys that this person made stay, too: look through them."}
        </p>
      </Confirm>
    );
  }
  return (
    <Dialog title={nameOf(member)} onClose={onClose}>
      <Form
        doing={doing}
        onSubmit={save}
        submit="Save"
        others={
          <button type="button" class="harm" onClick={() => setRemoving(true)}>
            {member.is_you ? "Leave …" : "Remove …"}
          </button>
        }
      >
        <AccessFields draft={draft} set={set} />
        {!member.is_you && (
          <CheckField
            path="is_disabled"
            label="Switched off"
            hint="Cannot sign in until this is undone. Sessions end at once."
            value={draft.is_disabled}
            onChange={(is_disabled) => set({ is_disabled })}
          />
        )}
      </Form>
    </Dialog>
  );
}
