/**
 * Calls that the page begins before the console's own scripts are there, see `begin.ts`. Each is taken once.
 */
export const SESSION = "/console/identity/session";

interface Begun {
  /** The shop that a call names; null where it names none. */
  shop: string | null;
  answer: Promise<Response>;
}

declare global {
  var begun: Map<string, Begun> | undefined;
}

/** Begin a call by its path, in the name of a shop or of none. */
export function begin(path: string, shop: string | null = null): void {
  const answer = fetch(path, { credentials: "same-origin", headers: shop ? { "X-Svc-Shop": shop } : {} }).then(whole);
  answer.catch(() => undefined);
  globalThis.begun ??= new Map();
  globalThis.begun.set(new URL(path, location.href).href, { shop, answer });
}

/** Read the body, so that it is there when the response is taken. */
async function whole(response: Response): Promise<Response> {
  const body = await response.text();
  const read = { text: async () => body, json: async () => JSON.parse(body) };
  return Object.assign(new Response(body || null, response), read);
}

/** Let answers that are there be read: the first screen is then drawn once, with its data. */
export function arrived(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Return the answer to a call that was begun for this shop, once. */
export function takeBegun(path: string, shop: string | null = null): Promise<Response> | undefined {
  if (!globalThis.begun) return undefined;
  const url = new URL(path, location.href).href;
  const call = globalThis.begun.get(url);
  if (call?.shop !== shop) return undefined;
  globalThis.begun.delete(url);
  return call.answer;
}

/** Drop what was begun: the next to sign in may be another person. */
export function forgetBegun(): void {
  globalThis.begun?.clear();
}
