import { computed, signal } from "@preact/signals";
import { hasEnded, needsPasskey, shopId, stepUp } from "../api/client.ts";
import { noAnswer, Problem, problemOf } from "../api/problems.ts";
import { forgetBegun, SESSION, takeBegun } from "../begun.ts";
import { knownZone } from "../kit/formats.ts";

export interface ShopAccess {
  id: string;
  name: string;
  currency: string;
  timezone: string;
  org_id: string;
  role: string | null;
  scopes: string[];
}

export interface Session {
  user: { id: string; email: string | null; name: string | null };
  level: "key" | "local" | "email" | "passkey";
  shops: ShopAccess[];
  expires_at: string;
  idle_until: string;
}

/** Who is signed in; null while nobody is. */
export const session = signal<Session | null>(null);

/** The shop on the screen, in a time zone of which moments can be shown and typed here. */
export const shop = computed<ShopAccess | null>(() => {
  const found = session.value?.shops.find(({ id }) => id === shopId.value);
  return found ? { ...found, timezone: knownZone(found.timezone) } : null;
});

/** Return whether the session may use this scope in the shop on the screen. A scope to write includes reading. */
export function may(scope: string | undefined): boolean {
  if (scope === undefined) return true;
  const scopes = shop.value?.scopes ?? [];
  return scopes.includes(scope) || (scope.endsWith(":read") && scopes.includes(scope.replace(/:read$/, ":write")));
}

/** Call a route of identity. Rejects with a Problem. */
export async function identity<T>(method: string, path: string, body?: unknown): Promise<T> {
  const call = () =>
    fetch(`/console/identity${path}`, {
      method,
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", ...(shopId.value && { "X-Svc-Shop": shopId.value }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw noAnswer();
    });
  let response = await call();
  if ((await needsPasskey(response)) && (await stepUp.ask?.())) response = await call();
  const text = await response.text();
  const value = text ? parsed(text) : undefined;
  if (response.ok) return value as T;
  const problem = problemOf(response, value);
  if (problem.code === "sign_in_required" && session.value) hasEnded.value = true;
  throw problem;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Take up the session of the cookie, if there is one. */
export async function resume(): Promise<void> {
  try {
    const begun = await takeBegun(SESSION)?.catch(() => undefined);
    // What the screen reads first was begun for the same session.
    if (!begun?.ok) forgetBegun();
    begin(begun?.ok ? JSON.parse(await begun.text()) : await identity<Session>("GET", "/session"));
  } catch (thrown) {
    if (!(thrown instanceof Problem && thrown.status === 401)) throw thrown;
    session.value = null;
  }
}

/** Where a browser brings back the page as it was left, as for "Back": the session may be of another person now. */
export async function returned(): Promise<void> {
  const before = session.value;
  const isRefused = (thrown: unknown) => thrown instanceof Problem && thrown.status === 401;
  const now = await identity<Session>("GET", "/session").catch((thrown) => (isRefused(thrown) ? null : before));
  if (now?.user.id === before?.user.id) return;
  session.value = null;
  setTimeout(() => location.reload());
}

/** Enter with a key of the API, or with the one-time token that a local stack prints. */
export async function enter(credential: { api_key: string } | { token: string }): Promise<void> {
  begin(await identity<Session>("POST", "api_key" in credential ? "/exchange" : "/enter", credential));
}

export async function signOut(): Promise<void> {
  await identity("DELETE", "/session");
  session.value = null;
  // What this person has read and sent goes with the page: the next one may be another person.
  setTimeout(() => location.assign("/console"));
}

/** Make this the session of the page. */
export function begin(entered: Session): void {
  // Another person must not find what the one before has on the screen.
  const isOther = session.value !== null && session.value.user.id !== entered.user.id;
  session.value = entered;
  hasEnded.value = false;
  if (isOther) location.assign("/console");
}
