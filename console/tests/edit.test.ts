import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../src/api/problems.ts";
import { differing, isConflict, merged } from "../src/kit/edit.tsx";

test("differing, a list with the same entries: is no difference", () => {
  assert.deepEqual(differing({ a: 1, b: [1] }, { a: 2, b: [1] }), { a: 2 });
});

test("merged, a change elsewhere: follows where nothing was typed, and is named where something was", () => {
  const base = { name: "Shop", currency: "EUR", hosts: ["a"] };
  const draft = { name: "My shop", currency: "EUR", hosts: ["a", "b"] };
  const { draft: now, contested } = merged(base, draft, { name: "Store", currency: "USD", hosts: ["a"] });
  assert.deepEqual(now, { name: "My shop", currency: "USD", hosts: ["a", "b"] });
  assert.deepEqual(contested, ["name"]);
});

test("merged, the same change on both sides: is not contested", () => {
  const { contested } = merged({ a: 1 }, { a: 2 }, { a: 2 });
  assert.deepEqual(contested, []);
});

test("isConflict, both ways of the API to say it: is one", () => {
  const problem = (status: number, code: string) => new Problem({ status, code, message: "" });
  assert.ok(isConflict(problem(412, "version_conflict")));
  assert.ok(isConflict(problem(409, "version_conflict")));
  assert.ok(!isConflict(problem(409, "conflict")));
  assert.ok(!isConflict(null));
});
