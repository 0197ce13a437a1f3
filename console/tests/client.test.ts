import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { api, data } from "../src/api/client.ts";
import { asProblem } from "../src/api/problems.ts";

type Answer = Response | null;
const DONE = () => Response.json({ id: "idea" }, { status: 201 });
const BUSY = () => problem(409, "idempotency_in_progress");
const keys: (string | null)[] = [];

// Waits are skipped.
globalThis.setTimeout = ((then: () => void) => queueMicrotask(then)) as unknown as typeof setTimeout;

function problem(status: number, code: string): Response {
  return Response.json(
    { error: { code, message: code, request_id: "r" } },
    { status, headers: { "Retry-After": "1" } },
  );
}

/** Answer in this order; null is a line that breaks. */
function answering(...answers: Answer[]): void {
  globalThis.fetch = async (request) => {
    keys.push((request as Request).headers.get("Idempotency-Key"));
    const answer = answers.shift();
    if (!answer) throw new TypeError("Failed to fetch");
    return answer;
  };
}

async function saved(title: string): Promise<string> {
  const call = api.POST("/backlog/ideas", { baseUrl: "https://api.test/api/v1", body: { title } as never });
  return data(call as never).then(
    () => "done",
    (thrown) => asProblem(thrown).code,
  );
}

beforeEach(() => {
  keys.length = 0;
});

test("a change, whose answer is lost: is sent again with the same key", async () => {
  answering(null, BUSY(), DONE());
  assert.equal(await saved("one"), "done");
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
});

test("a change, sent again by the person after no answer came: keeps its key until one comes", async () => {
  answering(null, null, null);
  assert.equal(await saved("two"), "no_answer");
  answering(new Response("<html>", { status: 502 }));
  assert.equal(await saved("two"), "unexpected");
  answering(DONE(), DONE(), DONE());
  assert.equal(await saved("two"), "done");
  assert.equal(new Set(keys).size, 1);
  assert.equal(await saved("two"), "done");
  assert.equal(await saved("another"), "done");
  assert.equal(new Set(keys).size, 3);
});

test("a change, refused by the service: is another one when it is sent again", async () => {
  answering(problem(422, "validation_failed"), problem(500, "internal_error"), DONE());
  assert.equal(await saved("three"), "validation_failed");
  assert.equal(await saved("three"), "internal_error");
  assert.equal(await saved("three"), "done");
  assert.equal(new Set(keys).size, 3);
});

test("a reading, without an answer: fails at once", async () => {
  answering(null);
  const call = api.GET("/backlog/ideas", { baseUrl: "https://api.test/api/v1" });
  await assert.rejects(data(call as never), /does not answer/);
  assert.equal(keys.length, 1);
});
