import assert from "node:assert/strict";
import { test } from "node:test";
import { knownZone } from "../src/kit/formats.ts";
import { apart, measured, pValue, tickOf } from "../src/kit/measure.ts";
import { offsetOf } from "../src/kit/moments.ts";
import { marksOf } from "../src/plots/arm.tsx";
import { axisOf, digitsOf, forestEnds, nearest, roundUp, spread } from "../src/plots/axis.ts";
import { curvesOf, curvesSheet, settled } from "../src/plots/curves.tsx";
import { endWithin, intervalSheet, lineOf, spanOf } from "../src/plots/interval.tsx";
import { cellText, csv, fileName } from "../src/plots/sheet.ts";
import { sparkPoints } from "../src/plots/spark.tsx";
import { momentText, timeTicks } from "../src/plots/time.ts";

const ARMS = [
  { id: "a", name: "Control", mark: "A", colour: 0, isControl: true },
  { id: "b", name: "=Warm", mark: "B", colour: 1, isControl: false },
];

test("axisOf, values of one kind: has round ends around them and even ticks", () => {
  const axis = axisOf([0.012, 0.057, 0]);
  assert.deepEqual([axis.low, axis.high], [0, 0.06]);
  assert.deepEqual(axis.ticks, [0, 0.02, 0.04, 0.06]);
  assert.equal(axis.place(0.03), 0.5);
});

test("axisOf, equal values, none, and those that are no numbers: still an axis", () => {
  for (const values of [[0.05, 0.05], [0, 0], [], [Number.NaN, Number.POSITIVE_INFINITY]]) {
    const axis = axisOf(values);
    assert.ok(axis.low < axis.high, String(values));
    assert.ok(axis.ticks.length > 1, String(values));
  }
});

test("digitsOf, steps: the fewest that show them", () => {
  assert.deepEqual([digitsOf(1), digitsOf(0.5), digitsOf(0.25), digitsOf(1 / 3, 3)], [0, 1, 2, 3]);
});

test("forestEnds, one interval far wider than the others: does not squeeze them", () => {
  const narrow = { lower: -0.05, upper: 0.08 };
  assert.deepEqual(forestEnds([narrow, narrow, { lower: -2, upper: 9 }]), { low: -0.25, high: 0.25 });
  assert.deepEqual(forestEnds([{ lower: -3, upper: 4 }]), { low: -1, high: 4 });
  assert.deepEqual(forestEnds([]), { low: -0.1, high: 0.1 });
});

test("roundUp, sizes of any power: the next round number", () => {
  assert.deepEqual([roundUp(0.021), roundUp(1), roundUp(7.2), roundUp(130)], [0.025, 1, 8, 150]);
});

test("spread, places that meet: moves them apart within the ends and keeps their order", () => {
  assert.deepEqual(spread([10, 10, 90], 14, 0, 100), [10, 24, 90]);
  assert.deepEqual(spread([99, 98], 14, 0, 100), [100, 86]);
});

test("nearest, any wanted value: the index of the closest", () => {
  const values = [0, 10, 20, 45];
  assert.deepEqual(
    [-5, 4, 6, 33, 32, 99].map((wanted) => nearest(values, wanted)),
    [0, 0, 1, 3, 2, 3],
  );
  assert.equal(nearest([], 1), -1);
  assert.equal(nearest([7], 1), 0);
});

test("timeTicks, a week in Berlin with the change of clocks: every tick is at midnight there", () => {
  const ticks = timeTicks(Date.parse("2026-10-22T09:00:00Z"), Date.parse("2026-10-29T09:00:00Z"), "Europe/Berlin", 7);
  assert.deepEqual(ticks.map(({ text }) => text).slice(0, 2), ["24 Oct", "26 Oct"]);
  assert.ok(ticks.every(({ at }) => new Date(at + offsetOf(at, "Europe/Berlin")).getUTCHours() === 0));
});

test("timeTicks, an hour: has minutes, and no more than allowed", () => {
  const ticks = timeTicks(Date.parse("2026-11-28T21:10:00Z"), Date.parse("2026-11-28T22:10:00Z"), "Asia/Kolkata", 5);
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ["02:45", "03:00", "03:15", "03:30"],
  );
  assert.equal(momentText(ticks[0]?.at ?? 0, "Asia/Kolkata"), "29 Nov 2026, 02:45");
});

test("csv, texts that a spreadsheet would run and numbers below zero: only the texts are disarmed", () => {
  const sheet = {
    columns: [{ title: "Name" }, { title: "Lift, %" }],
    rows: [
      ["=1+1", -0.0125],
      ['a "b"\n', null],
    ],
  };
  assert.equal(csv(sheet), 'Name,"Lift, %"\r\n\'=1+1,-0.0125\r\n"a ""b""\n",\r\n');
  assert.equal(cellText({ title: "p", text: pValue }, 0.0004), "<0.001");
  assert.equal(cellText({ title: "p" }, null), "–");
  assert.equal(fileName("Käufe: interval over time!", "csv"), "käufe-interval-over-time.csv");
});

test("measured and apart, each metric: rates in percent and points, money in its currency", () => {
  assert.equal(measured(0.0512, "rate", null), "5.12%");
  assert.equal(measured(0.512, "rate", null), "51.2%");
  assert.equal(measured(2.5, "mean", "EUR"), "€2.50");
  assert.equal(measured(0.0123, "mean", null), "0.0123");
  assert.equal(apart(0.0345, "rate", null), "+3.45\u00a0pp");
  assert.equal(apart(-1.5, "mean", "EUR"), "-€1.50");
  assert.equal(tickOf("rate")(0.025, 0.005), "2.5%");
  assert.match(tickOf("mean")(25_000, 5000), /^25k$/i);
});

test("marksOf, a name that ends in another letter: numbers instead of letters", () => {
  assert.deepEqual(marksOf(["Control", "Warm"]), ["A", "B"]);
  assert.deepEqual(marksOf(["Control", "Variant C"]), ["1", "2"]);
});

const look = (minute: string, difference: number, lower: number | null, upper: number | null) => ({
  moment: `2026-11-28T21:${minute}:00.000Z`,
  generation: 1,
  visitors: 100,
  treatments: [{ variation_id: "b", difference, lower, upper, always_valid_p: 0.5 }],
});
const COURSE = {
  goal_id: "g",
  metric: "rate" as const,
  currency: null,
  alpha: 0.05,
  looks: [
    look("00", 0.4, -3, 4),
    ...Array.from({ length: 8 }, (_, n) => look(`1${n}`, 0.1, -0.1, 0.3)),
    look("20", 0.2, null, null),
  ],
};

test("spanOf, wide first looks: does not include them; a look without an interval counts with its difference", () => {
  const line = lineOf(COURSE, "b", ARMS);
  assert.deepEqual(line.points.at(-1), { y: 0.2, lower: null, upper: null });
  assert.deepEqual([Math.min(...spanOf([line])), Math.max(...spanOf([line]))], [-0.1, 0.3]);
});

test("intervalSheet, marks between looks: stand in the row of the look after them", () => {
  const marks = [{ at: Date.parse("2026-11-28T21:12:30Z"), text: "Weights changed." }];
  const { rows } = intervalSheet(COURSE, "b", marks, "UTC");
  assert.deepEqual(rows[4]?.slice(0, 6), [5, "28 Nov 2026, 21:13", 100, 0.1, -0.1, 0.3]);
  assert.deepEqual(
    rows.map((row) => row[7]),
    ["", "", "", "", "Weights changed.", "", "", "", "", ""],
  );
});

test("endWithin, an end far away: is not drawn", () => {
  assert.equal(endWithin({ at: 100, text: "end" }, [0, 10]), null);
  assert.deepEqual(endWithin({ at: 25, text: "end" }, [0, 10]), { at: 25, text: "end" });
  assert.equal(endWithin(null, [0, 10]), null);
});

const bucket = (day: number, rows: [string, number, number][]) => ({
  start: `2026-11-0${day}T00:00:00.000Z`,
  end: `2026-11-0${day + 1}T00:00:00.000Z`,
  date: `2026-11-0${day}`,
  goals: [
    {
      goal_id: "g",
      metric: "rate" as const,
      rows: rows.map(([variation_id, visitors, conversions]) => ({
        variation_id,
        visitors,
        conversions,
        count: conversions,
        rate: visitors ? conversions / visitors : null,
        mean: null,
        ratio: null,
        revenue: null,
      })),
    },
  ],
});
const SERIES = {
  experiment_id: "e",
  measurement_epoch: 1,
  computed_at: null,
  generation: 1,
  timezone: "UTC",
  granularity: "day" as const,
  mode: "cumulative" as const,
  currency: "EUR",
  narrowed_to: null,
  data: [
    bucket(1, [
      ["a", 2, 2],
      ["b", 0, 0],
    ]),
    bucket(2, [
      ["a", 50, 5],
      ["b", 40, 8],
    ]),
    bucket(3, [
      ["a", 90, 9],
      ["b", 80, 8],
    ]),
  ],
};

test("curvesOf, a bucket without visitors of a variation: no point there", () => {
  const { lines, visitors } = curvesOf(SERIES, { id: "g", metric: "rate" }, ARMS);
  assert.deepEqual(lines[1]?.points, [null, { y: 0.2 }, { y: 0.1 }]);
  assert.deepEqual(visitors, [2, 90, 170]);
  assert.deepEqual(settled(lines, visitors), [0.1, 0.1, 0.2, 0.1]);
});

test("curvesSheet, two variations: a row for each and day", () => {
  const goal = { id: "g", name: "Orders", metric: "rate" as const, currency: null, measure: "conversion rate" };
  const { rows } = curvesSheet(SERIES, goal, ARMS);
  assert.equal(rows.length, 6);
  assert.deepEqual(rows[3], ["2026-11-02", "=Warm", 40, 8, 0.2]);
});

test("sparkPoints, equal values: a line in the middle", () => {
  assert.deepEqual(
    sparkPoints([3, 3]).map(([, down]) => down),
    [14, 14],
  );
  assert.deepEqual(sparkPoints([0, 1]), [
    [3, 25],
    [117, 3],
  ]);
});

test("knownZone, a zone that this browser does not know: is UTC", () => {
  assert.equal(knownZone("Europe/Berlin"), "Europe/Berlin");
  assert.equal(knownZone("Europe/Of_Tomorrow"), "UTC");
});
