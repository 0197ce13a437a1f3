import { signal } from "@preact/signals";
import { at } from "../address.ts";
import { stepUp } from "../api/client.ts";
import { useDoing } from "../api/loading.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form } from "../kit/form.tsx";
import { usePasskey } from "./passkeys.ts";
import { session } from "./session.ts";

const waiting = signal<((isConfirmed: boolean) => void) | null>(null);
const STRONGER = new Set(["email", "passkey"]);
let asked: Promise<boolean> | null = null;

// Several changes that wait for the passkey get it from one question.
stepUp.ask = () => {
  // A key or the link of a local stack has no passkey: what the API says about it is shown instead.
  if (!STRONGER.has(session.value?.level ?? "")) return Promise.resolve(false);
  asked ??= new Promise<boolean>((answer) => {
    waiting.value = answer;
  }).finally(() => {
    asked = null;
    waiting.value = null;
  });
  return asked;
};

/** Over the open screen, where a change needs a passkey that was used in the last minutes. */
export function StepUp() {
  const answer = waiting.value;
  if (!answer) return null;
  return <Question level={session.value?.level ?? "email"} answer={answer} />;
}

function Question({ level, answer }: { level: string; answer: (isConfirmed: boolean) => void }) {
  const doing = useDoing();
  const isByCode = level === "email";
  const confirm = async () => {
    await usePasskey();
    answer(true);
  };
  return (
    <Dialog title={isByCode ? "This takes a passkey" : "Is it still you?"} onClose={() => answer(false)}>
      <Form
        doing={doing}
        onSubmit={confirm}
        submit="Use my passkey"
        others={
          <>
            {isByCode && (
              <a class="button" href={at("/people/me")} onClick={() => answer(false)}>
                Add a passkey
              </a>
            )}
            <button type="button" onClick={() => answer(false)}>
              Cancel
            </button>
          </>
        }
      >
        <p>
          {isByCode
            ? "You signed in by a code, so you may look at everything and change nothing."
            : "Keys, people and secrets can be changed for ten minutes after a passkey was used."}
        </p>
      </Form>
    </Dialog>
  );
}

/** For those who signed in by an e-mailed code: why nothing can be changed, and what to do. */
export function ReadOnlyNote() {
  if (session.value?.level !== "email") return null;
  return (
    <p class="note warn">
      You may look at everything, but change nothing yet. <a href={at("/people/me")}>Add a passkey</a>: it takes a
      minute, and you sign in with it from then on.
    </p>
  );
}
