import { Problem } from "../api/problems.ts";
import { begin, identity, resume, type Session } from "./session.ts";

interface Options<T> {
  options: T;
}

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

/** Return whether this browser has passkeys in the form that is used here. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Sign in, or prove again who one is, with a passkey of this device. Rejects with a Problem. */
export async function usePasskey(): Promise<void> {
  const { options } = await identity<Options<PublicKeyCredentialRequestOptionsJSON>>("POST", "/passkeys/challenge", {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await ceremony(() => navigator.credentials.get({ publicKey }));
  begin(await identity<Session>("POST", "/passkeys/verify", { credential }));
}

/** Add a passkey of this device to the signed-in person. Rejects with a Problem. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { options } = await identity<Options<PublicKeyCredentialCreationOptionsJSON>>(
    "POST",
    "/passkeys/register-challenge",
    {},
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await ceremony(() => navigator.credentials.create({ publicKey }));
  const added = await identity<Passkey>("POST", "/passkeys", { credential, name });
  await resume();
  return added;
}

async function ceremony(ask: () => Promise<Credential | null>): Promise<unknown> {
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (thrown) {
    throw new Problem({ status: -1, code: "passkey", message: sentenceFor(thrown) });
  }
  if (!(credential instanceof PublicKeyCredential)) {
    throw new Problem({ status: -1, code: "passkey", message: "The device gave no passkey." });
  }
  return credential.toJSON();
}

/** Say why a device gave no passkey. */
export function sentenceFor(thrown: unknown): string {
  const name = thrown instanceof Error || thrown instanceof DOMException ? thrown.name : "";
  if (name === "InvalidStateError") return "This device has a passkey for you already.";
  if (name === "NotAllowedError") return "No passkey was used: it was cancelled, or it took too long.";
  if (name === "SecurityError") return "Passkeys do not work at this address: open the console under its own name.";
  return "This device could not use a passkey.";
}
