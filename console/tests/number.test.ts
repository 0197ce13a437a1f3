import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOf, readNumber } from "../src/kit/number.tsx";

const READ: [string, number | null][] = [
  ["1.5", 1.5],
  ["1,5", 1.5],
  ["0,05", 0.05],
  ["0,125", 0.125],
  [".5", 0.5],
  ["2.", 2],
  [" 7 ", 7],
  ["1 000", 1000],
  ["1\u202f000,5", 1000.5],
  ["1'000.5", 1000.5],
  ["1.000,5", 1000.5],
  ["1,000.5", 1000.5],
  ["1,234,567.8", 1234567.8],
  ["1,234,567", 1234567],
  ["1.234.567", 1234567],
  ["−3", -3],
  ["1e3", 1000],
  ["1,000", null],
  ["1,2,3", null],
  ["1.2.3", null],
  ["0x10", null],
  ["1e999", null],
  ["Infinity", null],
  ["12 %", null],
  ["-", null],
  ["", null],
];

test("readNumber, as people of several languages type it: is that number", () => {
  for (const [typed, expected] of READ) assert.equal(readNumber(typed), expected, typed);
});

test("faultOf, unreadable text: returns the fault, and none for an empty field", () => {
  assert.equal(faultOf("  "), null);
  assert.equal(faultOf("1,5"), null);
  assert.equal(faultOf("abc"), "This is not a number.");
  assert.match(faultOf("1,000") ?? "", /write 1000/);
});
