import { signal } from "@preact/signals";
import createClient, { type Middleware } from "openapi-fetch";
import { takeBegun } from "../begun.ts";
import { noAnswer, problemOf } from "./problems.ts";
import type { components, paths } from "./schema.d.ts";

export type Schemas = components["schemas"];

/** The shop whose data is shown: each call names it. */
export const shopId = signal("");

/** True once an answer said that the session has ended; the frame then asks to sign in again, over the open screen. */
export const hasEnded = signal(false);

export interface Call {
  method: string;
  url: string;
  body: string | null;
  status: number;
  requestId: string | null;
}

/** The newest calls of this page, newest first: what "API call" shows. */
export const calls = signal<readonly Call[]>([]);

/** Asks for the passkey again where a change needs a recent one; resolves to whether it was used. The frame sets it. */
export const stepUp: { ask: (() => Promise<boolean>) | null } = { ask: null };

const REMEMBERED_CALLS = 20;
const ATTEMPTS = 3;
const RETRIED = new Set([429, 503]);
const LONGEST_WAIT_SECONDS = 10;

const headers: Middleware = {
  onRequest({ request }) {
    if (shopId.value) request.headers.set("X-Svc-Shop", shopId.value);
    return request;
  },
};

/** The API's client. Use it as `data(api.GET("/flags/{flag_id}", {params: {path: {flag_id}}}))`. */
export const api = createClient<paths>({ baseUrl: "/api/v1", fetch: send, credentials: "same-origin" });
api.use(headers);

/** Send a request, or take its response where the page has begun it. A refusal is not used: there may be a session now. */
async function sent(request: Request): Promise<Response> {
  const begun = request.method === "GET" ? takeBegun(request.url, request.headers.get("X-Svc-Shop")) : undefined;
  const answer = await begun?.catch(() => undefined);
  return answer?.ok ? answer : fetch(request.clone());
}

/** Number of things that have not arrived yet: answers of the API, the code of a screen. */
export const waiting = signal(0);

/** Count something as waited for until it is there, or has failed. */
export async function counted<T>(arriving: Promise<T>): Promise<T> {
  waiting.value++;
  try {
    return await arriving;
  } finally {
    waiting.value--;
  }
}

/** Keys of changes whose answer was lost, by what they change: the same change sent again is done once. */
const lost = new Map<string, string>();
const MOST_LOST = 20;

/**
 * Send a request. Where the service is busy, it is sent again, and so is a change to which no answer came. Rejects
 * with a Problem where none comes.
 */
function send(request: Request): Promise<Response> {
  return counted(request.method === "GET" ? sendAgain(request, null) : sendChange(request));
}

async function sendChange(request: Request): Promise<Response> {
  const body = await request.clone().text();
  const change = `${request.method} ${request.url} ${request.headers.get("X-Svc-Shop")} ${body}`;
  const key = request.headers.get("Idempotency-Key") ?? lost.get(change) ?? crypto.randomUUID();
  request.headers.set("Idempotency-Key", key);
  lost.set(change, key);
  if (lost.size > MOST_LOST) lost.delete(lost.keys().next().value ?? "");
  const response = await sendAgain(request, body);
  if (!(await isLost(response))) lost.delete(change);
  return response;
}

async function sendAgain(request: Request, body: string | null): Promise<Response> {
  let isConfirmed = false;
  for (let attempt = 1; ; attempt++) {
    const response = await sent(request).catch(() => null);
    if (response) note(request, body, response);
    if (response && !isConfirmed && (await needsPasskey(response)) && (await stepUp.ask?.())) {
      isConfirmed = true;
      continue;
    }
    const isLast = attempt === ATTEMPTS || (body === null && !response);
    const wait = Number(response?.headers.get("Retry-After") ?? attempt);
    if (isLast || !(await isRetried(response)) || !(wait <= LONGEST_WAIT_SECONDS)) {
      if (response) return response;
      throw noAnswer();
    }
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}

async function isRetried(response: Response | null): Promise<boolean> {
  return !response || RETRIED.has(response.status) || (await codeOf(response, 409)) === "idempotency_in_progress";
}

/** Return whether an answer is that of a gateway, so that nobody knows whether the change was made. */
async function isLost(response: Response): Promise<boolean> {
  return response.status >= 500 && (await codeOf(response, response.status)) === "unexpected";
}

async function codeOf(response: Response, status: number): Promise<string | null> {
  if (response.status !== status) return null;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return problemOf(response, body).code;
}

/** Return whether an answer says that the change needs a passkey that was used in the last minutes. */
export async function needsPasskey(response: Response): Promise<boolean> {
  return (await codeOf(response, 403)) === "passkey_required";
}

function note(request: Request, body: string | null, response: Response): void {
  const { pathname, search } = new URL(request.url);
  const call = {
    method: request.method,
    url: pathname + search,
    body: body || null,
    status: response.status,
    requestId: response.headers.get("X-Request-Id"),
  };
  calls.value = [call, ...calls.peek()].slice(0, REMEMBERED_CALLS);
  if (response.status === 401) hasEnded.value = true;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const tags = new WeakMap<object, string>();

/** Return the data of an answer. Rejects with a Problem. */
export async function data<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data: value, error, response } = await answer;
  if (!response.ok) throw problemOf(response, error);
  const tag = response.headers.get("ETag");
  if (tag && typeof value === "object" && value !== null) tags.set(value, tag);
  return value as T;
}

/** Return the header that refuses a change of anything but the version that was read. */
export function ifMatch(read: object): { "If-Match": string } | undefined {
  const tag = tags.get(read);
  return tag === undefined ? undefined : { "If-Match": tag };
}

/**
 * Read again what was read before, by its ETag: where nothing changed, the very same object is returned, so that
 * nothing is drawn again. `read` gets the header to send. Rejects with a Problem.
 */
export async function renewed<T extends object>(
  before: T | null,
  read: (headers: { "If-None-Match"?: string }) => Promise<Answer<T>>,
): Promise<T> {
  const tag = before ? tags.get(before) : undefined;
  const answer = await read(tag ? { "If-None-Match": tag } : {});
  return before && answer.response.status === 304 ? before : data(Promise.resolve(answer));
}

/** Return the shell command that makes the same call with an API key. */
export function asCurl(call: Call): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${call.method} ${quoted(location.origin + call.url)}`, `-H "Authorization: Bearer $KEY"`];
  if (call.body) lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(call.body)}`);
  return lines.join(" \\\n  ");
}
