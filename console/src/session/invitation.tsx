import { signal } from "@preact/signals";
import { useDoing } from "../api/loading.ts";
import { Form } from "../kit/form.tsx";
import { notify } from "../kit/toast.tsx";
import { begin, identity, type Session, session, signOut } from "./session.ts";

/** The token of the invitation with which the page was opened; "" without one. */
export const invitation = signal("");

/** Whoever opens the link of an invitation decides here, and sees as whom. */
export function Invitation() {
  const doing = useDoing();
  const leaving = useDoing();
  const who = session.value?.user;
  const accept = async () => {
    const entered = await identity<Session>("POST", "/invitations/accept", { token: invitation.value });
    begin(entered);
    invitation.value = "";
    if (entered.level === "key") notify("Accepted. Sign in with a passkey to see the shop: a key has your own shops.");
  };
  return (
    <main class="sign-in" id="main">
      <h1>You are invited</h1>
      <Form
        doing={doing}
        onSubmit={accept}
        submit="Accept the invitation"
        others={
          <button type="button" onClick={() => (invitation.value = "")}>
            Not now
          </button>
        }
      >
        {who ? (
          <p>
            You are signed in as {who.name ?? who.email ?? "a person without a name"}, and accept as that person.{" "}
            <button type="button" class="link" onClick={() => void leaving.run(signOut)}>
              Accept as someone else
            </button>
          </p>
        ) : (
          <p>
            You get access to the shop. Then add a passkey: from then on you sign in with your fingerprint, face or PIN,
            as you unlock this device.
          </p>
        )}
      </Form>
    </main>
  );
}
