import assert from "node:assert/strict";
import { test } from "node:test";
import { changesIn, fieldInWords, together, valueInWords } from "../src/kit/diff.tsx";
import { designDiffs, rowInWords } from "../src/screens/experiments/history_words.ts";

test("a diff is its fields by name", () => {
  assert.deepEqual(changesIn({ b: [1, 2], a: [null, "x"], odd: "no pair" }), [
    { field: "a", before: null, after: "x" },
    { field: "b", before: 1, after: 2 },
  ]);
  assert.deepEqual(changesIn(null), []);
});

test("several diffs together have the oldest value and the newest", () => {
  const newestFirst = [{ name: ["B", "C"] }, { name: ["A", "B"], text: ["x", "y"] }, { text: ["y", "x"] }];
  assert.deepEqual(together(newestFirst), [{ field: "name", before: "A", after: "C" }]);
});

test("ids in fields are told by name", () => {
  const names = new Map([["01a2", "Variant"]]);
  assert.equal(fieldInWords("variations.01a2.custom_css", names), "Variant · custom css");
  assert.equal(fieldInWords("traffic_allocation", names), "traffic allocation");
});

test("values are told in words", () => {
  assert.equal(valueInWords(null), "–");
  assert.equal(valueInWords(true), "yes");
  assert.equal(valueInWords([]), "none");
  assert.equal(valueInWords({ length: 65, sha256: "c454fdae27061c95" }), "65 characters (c454fdae…)");
  assert.equal(valueInWords({ a: 1 }), '{\n  "a": 1\n}');
});

test("only the design since the approval counts", () => {
  const row = (created_at: string, diff: unknown) => ({ action: "experiment.update", created_at, diff });
  const rows = [
    row("2026-11-21T20:17:00Z", { status: ["client_approved", "draft"], experiment_css: ["a", "b"] }),
    row("2026-11-21T20:16:00Z", { status: ["draft", "qa"] }),
    row("2026-11-21T20:14:00Z", { experiment_css: [null, "a"] }),
  ];
  assert.deepEqual(designDiffs(rows, "2026-11-21T20:15:00Z"), [{ experiment_css: ["a", "b"] }]);
});

test("a completion is told with outcome, winner and learning", () => {
  const diff = { outcome: [null, "won"], winning_variation_id: [null, "v1"], learning: [null, "People like it"] };
  const row = { action: "experiment.complete", created_at: "2026-11-21T20:15:00Z", diff };
  assert.deepEqual(rowInWords(row, new Map([["v1", "Warm"]])), {
    title: "Completed",
    summary: "Won. Winner: Warm. People like it",
  });
  assert.equal(rowInWords({ ...row, action: "variation.update", diff: {} }, new Map()).title, "Variation changed");
});
