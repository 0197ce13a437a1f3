import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attributesAsText,
  attributesIn,
  changeInWords,
  stylesAsText,
  stylesIn,
  withAction,
} from "../src/screens/experiments/change_words.ts";
import { likelyPreset } from "../src/screens/experiments/goal_presets.ts";
import { targetingOf } from "../src/screens/experiments/new/change.tsx";
import { after, outcomesIn } from "../src/screens/experiments/outcomes.ts";
import { withAudience } from "../src/screens/experiments/targeting.tsx";
import { rateOf, trafficOf } from "../src/screens/experiments/traffic.ts";
import { allowedInWords, offered } from "../src/screens/experiments/verbs.ts";
import { daysRun, split } from "../src/screens/experiments/words.ts";

const NEW = { status: "draft", archived_at: null, started_at: null, ended_at: null } as const;
const everyone = () => true;

test("styles are read as they are shown", () => {
  const styles = { "background-color": "teal", background: "url(https://shop.example/a.png)" };
  assert.deepEqual(stylesIn(stylesAsText(styles)), styles);
  assert.deepEqual(stylesIn("color: red; padding: 1rem;\nmargin"), { color: "red", padding: "1rem" });
});

test("a name alone removes an attribute", () => {
  assert.deepEqual(attributesIn("href=/sale?a=b\ndisabled\n"), { href: "/sale?a=b", disabled: null });
  assert.equal(attributesAsText({ attribute: { name: "alt", value: "A lamp" } }), "alt=A lamp");
});

test("another action keeps what it can have", () => {
  const text = { selector: "h1", action: "text", text: "New", description: "Headline" } as const;
  assert.deepEqual(withAction(text, "html"), {
    selector: "h1",
    action: "html",
    html: "New",
    description: "Headline",
  });
  assert.deepEqual(withAction(text, "remove"), { selector: "h1", action: "remove", description: "Headline" });
});

test("a change is told in words", () => {
  assert.equal(changeInWords({ selector: "h1", action: "text", text: "New" }), "Replace the text: h1 → New");
  assert.equal(changeInWords({ selector: ".chat", action: "remove" }), "Remove: .chat");
});

test("a draft offers the launch first, and deleting behind the menu", () => {
  const { first, more } = offered(NEW, ["request-approval", "start-qa", "launch", "archive"], everyone);
  assert.equal(first?.action, "launch");
  assert.deepEqual(
    more.map(({ action }) => action),
    ["schedule", "duplicate", "archive", "delete"],
  );
});

test("verbs without the scope are not offered", () => {
  const { first, others, more } = offered(NEW, ["launch", "archive"], (scope) => scope !== "experiments:launch");
  assert.equal(first, null);
  assert.deepEqual(others, []);
  assert.deepEqual(
    more.map(({ action }) => action),
    ["duplicate", "archive", "delete"],
  );
});

test("an archived experiment is only brought back or copied", () => {
  const archived = { ...NEW, archived_at: "2026-11-21T20:15:00Z" };
  const { first, others, more } = offered(archived, ["unarchive"], everyone);
  assert.equal(first, null);
  assert.deepEqual(
    [...others, ...more].map(({ action }) => action),
    ["unarchive", "duplicate"],
  );
});

test("what is allowed is told by the words of the buttons", () => {
  assert.equal(allowedInWords(["pause", "complete"]), "Possible now: Pause, Complete.");
  assert.equal(allowedInWords([]), "Nothing is possible now.");
});

test("the newest outcome of an experiment counts", () => {
  const rows = [
    { entity_id: "a", diff: { outcome: [null, "won"] } },
    { entity_id: "a", diff: { outcome: [null, "lost"] } },
    { entity_id: "b", diff: { status: ["running", "completed"] } },
  ];
  assert.deepEqual([...outcomesIn(rows)], [["a", "won"]]);
  assert.equal(after({ name: "x" }, "name"), undefined);
});

test("days count from the start to the end, or to now", () => {
  const started_at = "2026-11-01T00:00:00Z";
  assert.equal(daysRun({ started_at: null, ended_at: null }, 0), null);
  assert.equal(daysRun({ started_at, ended_at: "2026-11-15T12:00:00Z" }, 0), 14);
  assert.equal(daysRun({ started_at, ended_at: null }, Date.parse("2026-11-03T00:00:00Z")), 2);
});

test("the split leaves archived variations out", () => {
  const variation = (weight: number, archived_at: string | null = null) => ({ weight, archived_at });
  const variations = [variation(0.5), variation(0.5), variation(0, "2026-11-21T20:15:00Z")];
  assert.equal(split(variations as Parameters<typeof split>[0]), "50 / 50");
  assert.equal(split([variation(1 / 3), variation(2 / 3)] as Parameters<typeof split>[0]), "33.3 / 66.7");
});

test("traffic counts whole days from the first visitor on", () => {
  const day = (visited: number, added_to_cart = 0) => ({
    date: "",
    visited,
    added_to_cart,
    started_checkout: 0,
    purchased: 0,
    cart_rate: null,
    checkout_rate: null,
    purchase_rate: null,
    conversion_rate: null,
  });
  const traffic = trafficOf([day(0), day(100, 10), day(300, 10), day(40)]);
  assert.equal(traffic.daily, 200);
  assert.equal(traffic.rates.add_to_cart, 0.05);
  assert.equal(traffic.rates.purchase, null);
  assert.equal(trafficOf([day(0)]).daily, null);
});

test("the rate of a goal with a filter is not that of the shop", () => {
  const traffic = { daily: 10, rates: { add_to_cart: 0.1, checkout_started: null, purchase: 0.02 } };
  const goal = { type: "custom", event_name: "add_to_cart", filter: null, page_id: null, url_pattern: null } as const;
  assert.equal(rateOf(goal, traffic), 0.1);
  assert.equal(rateOf({ ...goal, type: "revenue" }, traffic), 0.02);
  assert.equal(rateOf({ ...goal, filter: { version: 1 } }, traffic), null);
  assert.equal(rateOf({ ...goal, event_name: "signup" }, traffic), null);
  assert.equal(likelyPreset(traffic), "add_to_cart");
});

test("a test of one page is targeted by its path", () => {
  const targeting = targetingOf("page", "https://shop.example/lamps?sort=new");
  assert.deepEqual(targeting?.pageRules?.[0]?.includeRules, [{ type: "simple", pattern: "/lamps" }]);
  assert.equal(targetingOf("all", "https://shop.example/"), null);
  assert.equal(targetingOf("kept", "https://shop.example/"), undefined);
});

test("an audience that is added must be met beside the one that is there", () => {
  const rules = { operator: "and", conditions: [] } as const;
  const one = withAudience(null, "Phones", { ...rules, conditions: [] });
  const two = withAudience(one, "New visitors", { ...rules, conditions: [] });
  assert.equal(two.segmentMatchMode, "all");
  assert.deepEqual(
    two.segmentRules?.map(({ name }) => name),
    ["Phones", "New visitors"],
  );
  assert.equal(
    withAudience({ ...two, segmentMatchMode: "any" }, "Computers", { ...rules, conditions: [] }).segmentMatchMode,
    "any",
  );
});
