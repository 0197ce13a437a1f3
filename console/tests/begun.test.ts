import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { begin, SESSION, takeBegun } from "../src/begun.ts";
import { resume, session } from "../src/session/session.ts";

const PATH = "/api/v1/flags";
const calls: [string, HeadersInit | undefined][] = [];

beforeEach(() => {
  calls.length = 0;
  globalThis.begun = undefined;
  globalThis.location = { href: "https://console.test/console/a" } as Location;
  globalThis.fetch = async (path, init) => {
    calls.push([String(path), init?.headers]);
    return Response.json({ data: [] }, { status: path === PATH ? 200 : 401 });
  };
});

test("a call that was begun is taken once, with its body and status", async () => {
  begin(PATH, "a");
  const answer = await takeBegun(`https://console.test${PATH}`, "a");
  assert.equal(await answer?.text(), '{"data":[]}');
  assert.deepEqual(await answer?.json(), { data: [] });
  assert.equal(takeBegun(PATH, "a"), undefined);
  assert.deepEqual(calls, [[PATH, { "X-Svc-Shop": "a" }]]);
});

test("a call for another shop, or of another path, is not taken", () => {
  begin(PATH, "a");
  assert.equal(takeBegun(PATH, "b"), undefined);
  assert.equal(takeBegun(PATH), undefined);
  assert.equal(takeBegun(`${PATH}?limit=1`, "a"), undefined);
  assert.notEqual(takeBegun(PATH, "a"), undefined);
});

test("a refusal keeps its status, and nothing is begun without a page that begins", async () => {
  assert.equal(takeBegun(SESSION), undefined);
  begin(SESSION);
  assert.equal((await takeBegun(SESSION))?.status, 401);
});

test("what was begun for a session is kept with it, and dropped where there is none", async () => {
  const ANA = { user: { id: "ana" }, shops: [] };
  globalThis.fetch = async () => Response.json(ANA);
  begin(SESSION);
  begin(PATH, "a");
  await resume();
  assert.deepEqual(session.value, ANA);
  assert.equal((await takeBegun(PATH, "a"))?.status, 200);

  begin(PATH, "a");
  globalThis.fetch = async () => Response.json({}, { status: 401 });
  begin(SESSION);
  await resume();
  assert.equal(session.value, null);
  assert.equal(takeBegun(PATH, "a"), undefined);
});
