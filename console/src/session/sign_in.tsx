import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useDoing } from "../api/loading.ts";
import { Form, TextField } from "../kit/form.tsx";
import { hasPasskeys, usePasskey } from "./passkeys.ts";
import { begin, enter, identity, type Session, session } from "./session.ts";

/** The first page. */
export function SignIn() {
  return (
    <main class="sign-in" id="main">
      <h1>abtest</h1>
      <Ways />
    </main>
  );
}

/** Over the open screen, where a session ended: what was typed there stays. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby="again"
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id="again">Your session has ended</h2>
      <p>Sign in again to go on. What you typed is still there.</p>
      <Ways />
    </dialog>
  );
}

/** A passkey first, then a code by mail, then a key. Who came with a key is offered that again. */
function Ways() {
  const usesKey = session.value?.level === "key";
  return (
    <div class="ways">
      {!usesKey && hasPasskeys() && <PasskeyEntry />}
      {!usesKey && <CodeEntry />}
      <details open={usesKey}>
        <summary>Sign in with an API key</summary>
        <KeyEntry />
      </details>
    </div>
  );
}

function PasskeyEntry() {
  const doing = useDoing();
  return <Form doing={doing} onSubmit={usePasskey} submit="Sign in with a passkey" children={null} />;
}

function CodeEntry() {
  const [email, setEmail] = useState("");
  const [isSent, setSent] = useState(false);
  const doing = useDoing();
  const send = async () => {
    await identity("POST", "/sign-in", { email: email.trim() });
    setSent(true);
  };
  if (isSent) return <CodeCheck email={email} onAgain={() => setSent(false)} />;
  return (
    <Form doing={doing} onSubmit={send} submit="Send me a code">
      <TextField
        path="email"
        label="E-mail address"
        type="email"
        value={email}
        onChange={setEmail}
        autocomplete="email"
        required
        hint="For the first time, or without your passkey: a code comes by mail."
      />
    </Form>
  );
}

function CodeCheck({ email, onAgain }: { email: string; onAgain: () => void }) {
  const verify = async (code: string) => begin(await identity<Session>("POST", "/sign-in/verify", { code }));
  return (
    <>
      <CodeForm onSubmit={verify} submit="Sign in">
        If {email.trim()} is known here, a mail with a code of eight digits is on its way. It works for ten minutes, in
        this browser.
      </CodeForm>
      <button type="button" class="link" onClick={onAgain}>
        Another address, or another code
      </button>
    </>
  );
}

interface CodeFormProps {
  onSubmit: (code: string) => Promise<unknown>;
  submit: string;
  children: ComponentChildren;
}

/** The field for the code of a mail. */
export function CodeForm({ onSubmit, submit, children }: CodeFormProps) {
  const [code, setCode] = useState("");
  const doing = useDoing();
  return (
    <Form doing={doing} onSubmit={() => onSubmit(code.replaceAll(/\s/g, ""))} submit={submit}>
      <p role="status">{children}</p>
      <TextField
        path="code"
        label="Code"
        value={code}
        onChange={setCode}
        autocomplete="one-time-code"
        maxLength={20}
        required
      />
    </Form>
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
