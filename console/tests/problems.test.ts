import assert from "node:assert/strict";
import { test } from "node:test";
import { asProblem, messagesFor, messagesOfEntries, Problem, problemOf, unshown } from "../src/api/problems.ts";

const ENVELOPE = {
  error: {
    code: "validation_failed",
    message: "the body is invalid",
    request_id: "request-1",
    fields: [
      { path: "goals[0].name", message: "must not be empty" },
      { path: "weight", message: "must be at most 1" },
    ],
  },
};

test("problemOf, an envelope: has its code, sentence, request and fields", () => {
  const problem = problemOf(new Response(null, { status: 422 }), ENVELOPE);
  assert.deepEqual(
    [problem.status, problem.code, problem.message, problem.requestId],
    [422, "validation_failed", "the body is invalid", "request-1"],
  );
  assert.equal(problem.fields.length, 2);
});

test("problemOf, the page of a proxy: names the status, and the request by its header", () => {
  const response = new Response(null, { status: 504, headers: { "X-Request-Id": "request-2" } });
  const problem = problemOf(response, "<html>");
  assert.match(problem.message, /504/);
  assert.equal(problem.requestId, "request-2");
});

test("messagesFor, both spellings of a path: finds the field", () => {
  const problem = problemOf(new Response(null, { status: 422 }), ENVELOPE);
  assert.deepEqual(messagesFor(problem, "goals.0.name"), ["Fill this in."]);
  assert.deepEqual(messagesFor(problem, "goals[0].name"), ["Fill this in."]);
  assert.deepEqual(messagesFor(null, "name"), []);
});

test("messagesOfEntries, a list in one control: names each entry by its number", () => {
  const fields = [
    { path: "hosts[1]", message: "must be a host" },
    { path: "hosts[1].name", message: "is of a deeper control" },
    { path: "hostsOfOthers[0]", message: "is of another" },
  ];
  const problem = new Problem({ status: 400, code: "validation_failed", message: "", fields });
  assert.deepEqual(messagesOfEntries(problem, "hosts"), [{ path: "hosts[1]", message: "Entry 2: must be a host" }]);
  assert.deepEqual(messagesOfEntries(null, "hosts"), []);
});

test("messagesFor, a message for programs: becomes a sentence", () => {
  const fields = [{ path: "key", message: "must have 1 to 100 lower-case letters, digits and hyphens" }];
  const problem = new Problem({ status: 400, code: "invalid_request", message: "invalid", fields });
  assert.deepEqual(messagesFor(problem, "key"), ["Must have 1 to 100 lower-case letters, digits and hyphens."]);
});

test("unshown, a form with one of two fields: returns the other", () => {
  const problem = problemOf(new Response(null, { status: 422 }), ENVELOPE);
  assert.deepEqual(unshown(problem, ["weight"]), [{ path: "goals[0].name", message: "must not be empty" }]);
});

test("asProblem, an error of the console: keeps its message", () => {
  assert.equal(asProblem(new TypeError("x is undefined")).message, "x is undefined");
  const problem = new Problem({ status: 404, code: "not_found", message: "no" });
  assert.equal(asProblem(problem), problem);
});
