import assert from "node:assert/strict";
import { test } from "node:test";
import { BEGIN, CODE, EDITOR, firstScreen, loadedBy, MAIN, OVERVIEW, overweight, weights } from "../tools/weight.mjs";

const outputs = {
  "begin.js": { entry: BEGIN, static: [], brotli: 1_000 },
  "main.js": { entry: MAIN, static: ["view.js"], brotli: 9_000 },
  "overview.js": { entry: OVERVIEW, static: ["view.js", "plots.js"], brotli: 3_000 },
  "editor.js": { entry: EDITOR, static: ["view.js", "history.js"], brotli: 6_000 },
  "code.js": { entry: CODE, static: ["view.js"], brotli: 140_000 },
  "results.js": { entry: "src/screens/results/results.tsx", static: ["plots.js"], brotli: 9_000 },
  "view.js": { entry: null, static: [], brotli: 8_000 },
  "plots.js": { entry: null, static: ["scales.js"], brotli: 5_000 },
  "scales.js": { entry: null, static: [], brotli: 4_000 },
  "history.js": { entry: null, static: [], brotli: 1_000 },
  "main.css": { entry: null, static: [], brotli: 70_000 },
};
const weighing = (brotli: number, name: keyof typeof outputs) =>
  overweight({ ...outputs, [name]: { ...outputs[name], brotli } }).map(([what]) => what);

test("an entry loads what its imports import", () => {
  assert.deepEqual([...loadedBy(outputs, OVERVIEW)], ["overview.js", "view.js", "plots.js", "scales.js"]);
  assert.throws(() => loadedBy(outputs, "src/none.tsx"), /no script is made of src\/none.tsx/);
});

test("the first screen counts what frame and overview share once", () => {
  assert.equal(firstScreen(outputs).size, 6);
  assert.deepEqual(weights(outputs), [
    ["first screen", 30_000, 60_000],
    ["editor", 7_000, 40_000],
    ["code fields", 140_000, 145_000],
    [results(), 9_000, 15_000],
    ["history.js", 1_000, 15_000],
  ]);
});

test("a budget is exceeded by one byte, and styles have none here", () => {
  assert.deepEqual(overweight(outputs), []);
  assert.deepEqual(weighing(15_000, "results.js"), []);
  assert.deepEqual(weighing(15_001, "results.js"), [results()]);
  assert.deepEqual(weighing(39_000, "main.js"), []);
  assert.deepEqual(weighing(39_001, "main.js"), ["first screen"]);
  assert.deepEqual(weighing(39_001, "editor.js"), ["editor"]);
  assert.deepEqual(weighing(145_001, "code.js"), ["code fields"]);
});

function results(): string {
  return "src/screens/results/results.tsx";
}
