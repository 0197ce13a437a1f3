import { useEffect, useRef, useState } from "preact/hooks";
import { useDoing } from "../api/loading.ts";
import { Form, TextField } from "../kit/form.tsx";
import { enter } from "./session.ts";

/** The first page. */
export function SignIn() {
  return (
    <main class="sign-in" id="main">
      <h1>abtest</h1>
      <KeyEntry />
    </main>
  );
}

/** Over the open screen, where a session ended: what was typed there stays. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="again" onCancel={(event) => event.preventDefault()}>
      <h2 id="again">Your session has ended</h2>
      <p>Sign in again to go on. What you typed is still there.</p>
      <KeyEntry />
    </dialog>
  );
}

function KeyEntry() {
  const [key, setKey] = useState("");
  const doing = useDoing();
  return (
    <Form doing={doing} onSubmit={() => enter({ api_key: key.trim() })} submit="Sign in">
      <TextField
        path="api_key"
        label="API key"
        value={key}
        onChange={setKey}
        type="password"
        autocomplete="off"
        required
        hint="You can do here what the key may do. The browser does not keep it."
      />
    </Form>
  );
}
