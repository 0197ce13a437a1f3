import assert from "node:assert/strict";
import { test } from "node:test";
import { dayTicks, effectsShown } from "../src/plots/effect.tsx";
import { waitingFacts } from "../src/screens/overview/waiting.tsx";
import { assumptionsIn, bodyOf, isComplete, queryOf } from "../src/screens/planning/assumptions.ts";
import { choicesIn, isNarrowed } from "../src/screens/results/choices.tsx";
import { parts } from "../src/screens/results/money.tsx";
import { currencyOf, isDoubtful, plannedEnd } from "../src/screens/results/parts.tsx";
import { cautions, daysText } from "../src/screens/results/verdict.tsx";
import type { Report } from "../src/screens/results/wording.ts";

function report(given: Partial<Record<keyof Report, unknown>>): Report {
  return {
    experiment: { status: "running" },
    verdict: { status: "undecided", days_left: null },
    plan: null,
    computed_at: "2026-11-28T12:00:00.000Z",
    implausible_lifts: [],
    early_stop: null,
    measured_time: null,
    ...given,
  } as unknown as Report;
}

test("choicesIn, values that the API does not know: are left out", () => {
  const choices = choicesIn({
    engine: "magic",
    from: "yesterday",
    to: "2026-11-28",
    segment: "shoe:42",
    by: "country",
    and: "country",
  });
  assert.deepEqual(
    [choices.engine, choices.from, choices.to, choices.segment, choices.by, choices.and],
    [null, null, "2026-11-28", null, "country", null],
  );
  assert.equal(isNarrowed(choices), true);
  assert.equal(isNarrowed(choicesIn({ goal: "g", curve: "daily", segment: "device" })), false);
});

test("plannedEnd, a running test with days left: is that far behind the count; a paused one has none", () => {
  const plan = { days_left: 2 };
  assert.equal(plannedEnd(report({ plan }))?.at, Date.parse("2026-11-30T12:00:00Z"));
  assert.equal(plannedEnd(report({ plan, experiment: { status: "paused" } })), null);
  assert.equal(plannedEnd(report({})), null);
});

test("cautions, a lift that is too good and a stop at a look: the second correction is left out", () => {
  const lift = { goal_id: "g", variation_id: "b", message: "too good" };
  const given = report({ implausible_lifts: [lift], early_stop: { variation_id: "b", message: "stopped" } });
  assert.equal(isDoubtful(given, "b"), true);
  assert.deepEqual(
    cautions(given).map(({ word }) => word[0]),
    ["Too good to be true"],
  );
});

test("cautions, part of a week while the test goes on: is no warning", () => {
  const measured_time = { days: 3, warning: "under_a_week", message: "three days" };
  assert.deepEqual(cautions(report({ measured_time }))[0]?.word, ["Less than a week", "plain"]);
  const decided = report({ measured_time, verdict: { status: "winner", days_left: null } });
  assert.deepEqual(cautions(decided)[0]?.word, ["Less than a week", "warn"]);
});

test("daysText, minutes to weeks: in the unit that a person uses", () => {
  assert.deepEqual([0, 0.5 / 24, 1 / 24, 1.9, 2, 28.4].map(daysText), [
    "0 minutes",
    "30 minutes",
    "1 hour",
    "45 hours",
    "2 days",
    "28 days",
  ]);
});

test("currencyOf, goals with and without money: only means and ratios of money have one", () => {
  assert.equal(currencyOf({ type: "revenue", metric: "mean", numerator: null }, "EUR"), "EUR");
  assert.equal(currencyOf({ type: "revenue", metric: "ratio", numerator: "items" }, "EUR"), null);
  assert.equal(currencyOf({ type: "custom", metric: "rate", numerator: null }, "EUR"), null);
});

test("parts, orders in another currency: counted ones and theirs add up", () => {
  const goals = [{ goal_id: "g", rows: [{ count: 60 }, { count: 40 }] }];
  const aside = {
    currency: "EUR",
    share_of_orders: 0.1,
    message: "",
    amounts: [
      {
        goal_id: "g",
        goal_name: "Revenue",
        kind: "foreign" as const,
        currency: "USD",
        orders: 10,
        amount: 99.5,
        by_variation: {},
      },
    ],
  };
  const values = parts(report({ goals }), aside, "g").map(({ name, value }) => [name, value]);
  assert.deepEqual(values, [
    ["Counted, EUR", 90],
    ["USD", 10],
  ]);
});

const NOW = Date.parse("2026-11-28T12:00:00Z");
const QUIET = {
  publication: { state: "published" as const, since: null },
  approvals: { count: 0, data: [] },
  last_seen_at: "2026-11-28T11:00:00.000Z",
};

test("waitingFacts, a shop in order: nothing waits", () => {
  assert.deepEqual(waitingFacts(QUIET as never, [], NOW), []);
});

test("waitingFacts, everything at once: each has its line, the shop first", () => {
  const overview = {
    publication: { state: "failed", since: "2026-11-28T11:00:00.000Z" },
    approvals: {
      count: 1,
      data: [{ id: "e", name: "Headline", public_id: null, updated_at: "2026-11-27T12:00:00.000Z" }],
    },
    last_seen_at: null,
    inbox: { unread: 3, has_more: false, until: null },
  };
  const webhooks = [{ disabledAt: "2026-11-28T11:00:00.000Z" }, { disabledAt: null }];
  assert.deepEqual(
    waitingFacts(overview as never, webhooks as never, NOW).map(({ id }) => id),
    ["publication", "install", "approval e", "webhooks", "inbox"],
  );
});

test("bodyOf, percents as people type them: shares without rounding errors, nothing of what is empty", () => {
  const assumed = assumptionsIn({ rate: "3.3", change: "7", daily: "1200" });
  assert.deepEqual(JSON.parse(JSON.stringify(bodyOf(assumed, "fixed"))), {
    baseline_rate: 0.033,
    mde: 0.07,
    daily_visitors: 1200,
    treatments: 1,
    engine: "fixed",
  });
  assert.deepEqual(assumptionsIn(queryOf(assumed)), assumed);
});

test("isComplete, an amount without its deviation: is not", () => {
  assert.equal(isComplete(assumptionsIn({ measure: "mean", mean: "3" })), false);
  assert.equal(isComplete(assumptionsIn({ measure: "mean", mean: "3", sd: "12" })), true);
  assert.equal(isComplete(assumptionsIn({})), false);
});

test("effectsShown, effects far above the planned one: are not drawn", () => {
  const effects = [0.9, 0.3, 0.1].map((mde, index) => ({ day: index + 1, visitors: 100, mde }));
  assert.deepEqual(
    effectsShown(effects, -0.1).map(({ day }) => day),
    [2, 3],
  );
  assert.equal(effectsShown(effects, null).length, 3);
});

test("dayTicks, a quarter: whole weeks", () => {
  assert.deepEqual(
    dayTicks(1, 84, 7).map(({ text }) => text),
    ["14 days", "28 days", "42 days", "56 days", "70 days", "84 days"],
  );
});
