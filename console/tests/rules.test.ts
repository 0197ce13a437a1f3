import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../src/api/problems.ts";
import { readJson } from "../src/kit/json.tsx";
import { lineOf } from "../src/kit/json_lines.ts";
import { changeOf, linesOf } from "../src/kit/patch.tsx";
import { adapted } from "../src/kit/rules/attributes.ts";
import { cleanedTargeting } from "../src/kit/rules/targeting.tsx";
import { audienceInWords, cleaned, pageInWords, targetingInWords } from "../src/kit/rules/words.ts";
import { moved } from "../src/kit/sortable.tsx";
import { base64, sizeInWords } from "../src/kit/upload.ts";
import { type Idea, reordered } from "../src/screens/backlog/ideas.ts";
import { treeOf } from "../src/screens/files/tree.ts";

test("audienceInWords, a group in a group: stands in brackets", () => {
  const words = audienceInWords({
    operator: "and",
    conditions: [{ attribute: "utm", key: "source", operator: "equals", value: "newsletter" }],
    groups: [
      {
        operator: "or",
        conditions: [
          { attribute: "country", operator: "in", value: ["DE", "AT"] },
          { attribute: "logged_in", operator: "not_equals", value: true },
        ],
      },
    ],
  });
  assert.equal(words, "campaign parameter source is newsletter and (country is one of DE, AT or is not logged in)");
});

test("pageInWords, exceptions and a trigger: are parts of the sentence", () => {
  const words = pageInWords({
    includeRules: [
      { type: "simple", pattern: "/a/*" },
      { type: "regex", pattern: "b$" },
    ],
    excludeRules: [{ type: "simple", pattern: "/a/gift" }],
    trigger: { type: "delay", ms: 1500 },
  });
  assert.equal(words, "on /a/* or addresses that match b$, but not on /a/gift, after 1.5 s");
});

test("targetingInWords, excluded and unused rules: are exceptions, and left out", () => {
  const { where, whom } = targetingInWords(
    {
      pageRules: [
        { id: "1", pageId: "p" },
        { id: "2", pageId: "q", include: false },
        { id: "3", pageId: "r", disabled: true },
      ],
    },
    new Map([
      ["p", "Product pages"],
      ["q", "Gifts"],
    ]),
  );
  assert.equal(where, "Product pages, except Gifts");
  assert.equal(whom, "everyone");
});

test("adapted, another attribute: has operator, key, zone and value of that attribute", () => {
  const before = { attribute: "device", operator: "starts_with", value: "m" } as const;
  assert.deepEqual(adapted(before, { attribute: "visits" }, "UTC"), { attribute: "visits", operator: "equals" });
  assert.deepEqual(adapted(before, { attribute: "local_day" }, "Europe/Berlin"), {
    attribute: "local_day",
    operator: "equals",
    timezone: "Europe/Berlin",
    value: "monday",
  });
  assert.deepEqual(adapted(before, { operator: "in" }, "UTC"), { ...before, operator: "in", value: ["m"] });
  assert.deepEqual(adapted(before, { operator: "exists" }, "UTC"), { attribute: "device", operator: "exists" });
});

test("cleaned, empty lists and triggers without effect: are left out", () => {
  assert.deepEqual(cleaned({ operator: "and", conditions: [], groups: [] }), { operator: "and" });
  assert.deepEqual(cleanedTargeting({ pageRules: [{ id: "1", pageId: "p", advancedCondition: null }] }), {
    pageRules: [{ id: "1", pageId: "p" }],
  });
});

test("readJson, a missing quote: names the field", () => {
  assert.deepEqual(readJson("value", "[1]"), [1]);
  assert.throws(
    () => readJson("value", "{]"),
    (thrown: Problem) => thrown.fields[0]?.path === "value",
  );
});

test("moved, an item to another place: leaves the others in their order", () => {
  assert.deepEqual(moved(["a", "b", "c"], 2, 0), ["c", "a", "b"]);
  assert.deepEqual(moved(["a", "b", "c"], 0, 1), ["b", "a", "c"]);
});

test("reordered, ideas of other stages between: goes past them", () => {
  const idea = (id: string, stage: string) => ({ id, stage }) as Idea;
  const ideas = [idea("a", "new"), idea("b", "done"), idea("c", "new")];
  const ids = (step: -1 | 1, id: string) => reordered(ideas, id, step).map((each) => each.id);
  assert.deepEqual(ids(-1, "c"), ["c", "b", "a"]);
  assert.deepEqual(ids(1, "b"), ["a", "b", "c"]);
});

test("lineOf, paths into a document: is where the value begins", () => {
  const text =
    '{\n  "lang": "a\\"{",\n  "blocks": [\n    {"id": 1},\n    {\n      "links": [{"href": "x"}]\n    }\n  ]\n}';
  assert.equal(lineOf(text, "lang"), 2);
  assert.equal(lineOf(text, "blocks[0].id"), 4);
  assert.equal(lineOf(text, ".blocks[1].links[0].href"), 6);
  assert.equal(lineOf(text, "blocks[1].heading"), 5);
});

test("sizeInWords, several sizes: has the unit that fits", () => {
  assert.deepEqual([0, 999, 1400, 20_971_520].map(sizeInWords), ["0 B", "999 B", "1.4 KB", "21 MB"]);
});

test("base64, every byte: can be read back", () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  assert.deepEqual(new Uint8Array(Buffer.from(base64(bytes), "base64")), bytes);
});

test("changeOf, a line in the middle: has three lines around it", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
  const after = before.with(4, "E");
  const marks = changeOf(before.join("\n"), after.join("\n")).map(({ mark, text }) => mark + text);
  assert.deepEqual(marks, [" b", " c", " d", "-e", "+E", " f", " g", " h", "@…"]);
  assert.deepEqual(changeOf("a\nb", "a\nb"), []);
});

test("linesOf, a unified diff: leaves the names of files out", () => {
  const lines = linesOf("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n same\n");
  assert.deepEqual(
    lines.map(({ mark, text }) => mark + text),
    ["@@@ -1 +1 @@", "-one", "+two", " same"],
  );
});

test("treeOf, a folder: has paths without the folder, and no hidden files", async () => {
  const file = (webkitRelativePath: string) => ({ name: "x", webkitRelativePath, text: async () => "content" });
  assert.deepEqual(
    await treeOf([file("lamp/goals.json"), file("lamp/.git/HEAD"), file("lamp/variations/a/custom.css")]),
    [
      { path: "goals.json", content: "content" },
      { path: "variations/a/custom.css", content: "content" },
    ],
  );
});

test("treeOf, another file: is refused with its name", async () => {
  const file = (text: string) => ({ name: "x.json", text: async () => text });
  assert.deepEqual(await treeOf([file('{"files": [{"path": "a", "content": "b", "sha256": "c"}]}')]), [
    { path: "a", content: "b" },
  ]);
  await assert.rejects(treeOf([file("[]")]), /x\.json is no tree/);
  await assert.rejects(treeOf([file("{")]), /x\.json is no tree/);
});
