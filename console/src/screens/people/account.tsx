import { useState } from "preact/hooks";
import { useDoing } from "../../api/loading.ts";
import { ThemeSwitch } from "../../frame/theme.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/state.tsx";
import { notify } from "../../kit/toast.tsx";
import { begin, identity, type Session, session } from "../../session/session.ts";
import { CodeForm } from "../../session/sign_in.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Sessions } from "./sessions.tsx";

/** Oneself: name, address, passkeys and sessions. */
export default function Account() {
  if (!session.value) return null;
  if (session.value.shops.every(({ role }) => role === null)) {
    return (
      <Page title="My account">
        <Empty title="You signed in with a key">
          <p>
            A key belongs to a program, not to a person. Let an admin invite you, or sign in as yourself, to have a name
            and passkeys.
          </p>
        </Empty>
        <Sessions />
      </Page>
    );
  }
  return (
    <Page title="My account">
      <Passkeys />
      <Name />
      <Address />
      <Section title="Colours">
        <ThemeSwitch />
      </Section>
      <Sessions />
    </Page>
  );
}

function Name() {
  const stored = session.value?.user.name ?? "";
  const doing = useDoing();
  const [name, setName] = useState(stored);
  const save = async () => {
    begin(await identity<Session>("PATCH", "/user", { name: name.trim() || null }));
    notify("Saved.");
  };
  return (
    <Section title="Name">
      <Form doing={doing} onSubmit={save} submit="Save" isDirty={name !== stored}>
        <TextField
          path="name"
          label="Your name"
          value={name}
          onChange={setName}
          autocomplete="name"
          maxLength={100}
          hint="The others see it, here and in the audit."
        />
      </Form>
    </Section>
  );
}

function Address() {
  const stored = session.value?.user.email;
  const [email, setEmail] = useState("");
  const [isSent, setSent] = useState(false);
  const doing = useDoing();
  const send = async () => {
    await identity("POST", "/address", { email: email.trim() });
    setSent(true);
  };
  const prove = async (code: string) => {
    begin(await identity<Session>("POST", "/address/verify", { code }));
    notify("Saved.");
    setSent(false);
    setEmail("");
  };
  return (
    <Section
      title="E-mail address"
      lead={
        stored
          ? `It is ${stored}. Codes and notices go there.`
          : "You have none yet. Without one, a lost passkey cannot be replaced."
      }
    >
      {isSent ? (
        <CodeForm onSubmit={prove} submit="This is my address">
          A mail with a code of eight digits is on its way to {email.trim()}.
        </CodeForm>
      ) : (
        <Form doing={doing} onSubmit={send} submit="Send a code there">
          <TextField
            path="email"
            label={stored ? "Another address" : "Your address"}
            type="email"
            value={email}
            onChange={setEmail}
            autocomplete="email"
            required
          />
        </Form>
      )}
    </Section>
  );
}
