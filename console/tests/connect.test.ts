import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../src/api/problems.ts";
import { ALL_SCOPES, inShort, type Scope, stateOf } from "../src/screens/keys/scopes.ts";
import { grouped } from "../src/screens/quarantine/reasons.ts";
import { draftOf, effectsOf, inputOf, NEW_TRIGGER, pathsOf } from "../src/screens/settings/trigger_draft.ts";

const key = (scopes: readonly Scope[]) => ({ kind: "shop" as const, scopes: [...scopes] });

test("inShort, a set that has a name: says it in words", () => {
  assert.equal(inShort(key(ALL_SCOPES)), "everything");
  const reads = ALL_SCOPES.filter((scope) => scope.endsWith(":read") && scope !== "keys:read");
  assert.equal(inShort(key(reads)), "reads everything, changes nothing");
  assert.equal(inShort({ kind: "tracking_source", scopes: [] }), "sends events, nothing else");
});

test("inShort, scopes of one's own: leaves out reading what may be changed, and counts the rest", () => {
  assert.equal(inShort(key(["flags:read", "flags:write"])), "change feature flags");
  const many: Scope[] = ["flags:write", "assets:write", "brand:write", "backlog:write"];
  assert.match(inShort(key(many)), / and 1 more$/);
});

test("stateOf, each end of a key: is named", () => {
  const now = Date.parse("2026-11-28T12:00:00Z");
  const base = { revoked_at: null, expires_at: null, rotated_to: null } as Parameters<typeof stateOf>[0];
  assert.equal(stateOf(base, now).words, "works");
  assert.equal(stateOf({ ...base, expires_at: "2026-11-30T12:00:00Z" }, now).words, "expires soon");
  assert.equal(stateOf({ ...base, expires_at: "2026-11-28T11:00:00Z" }, now).words, "expired");
  assert.equal(stateOf({ ...base, rotated_to: "k" }, now).tone, "warn");
  assert.equal(stateOf({ ...base, revoked_at: "2026-11-28T11:00:00Z" }, now).words, "revoked");
});

test("pathsOf, text with commas: is a list in its order", () => {
  assert.deepEqual(pathsOf("a.b, c"), ["a.b", "c"]);
  assert.equal(pathsOf(" a "), "a");
  assert.equal(pathsOf(" "), undefined);
});

test("inputOf, a stored trigger that was typed over: keeps what the form does not show", () => {
  const stored = {
    id: "t",
    created_at: "2026-11-28T12:00:00Z",
    updated_at: "2026-11-28T12:00:00Z",
    eventName: "purchase",
    enabled: true,
    trackRevenue: { enabled: true, revenueFrom: "a", profitFrom: "p" },
    mappings: [{ from: "user.tier", to: "page.tier", persist: false }],
  } as Parameters<typeof draftOf>[0];
  const input = inputOf({ ...draftOf(stored), revenueFrom: "b" }, stored);
  assert.deepEqual(input.trackRevenue, {
    enabled: true,
    revenueFrom: "b",
    profitFrom: "p",
    orderIdFrom: undefined,
    currencyFrom: undefined,
  });
  assert.deepEqual(input.mappings, stored.mappings);
  assert.deepEqual(effectsOf(stored), ["an order", "an attribute of the visitor"]);
});

test("inputOf, conditions that are no JSON: name the field", () => {
  assert.throws(
    () => inputOf({ ...NEW_TRIGGER, eventName: "x", when: "[" }),
    (thrown) => thrown instanceof Problem && thrown.fields[0]?.path === "when",
  );
});

test("grouped, events of two reasons: counts each, the most frequent first", () => {
  const event = (reason: string, received_at: string) => ({ reason, received_at, sample: "{}", event_id: null });
  const groups = grouped([
    event("missing_ts", "2026-11-28T12:02:00Z"),
    event("unknown_type", "2026-11-28T12:01:00Z"),
    event("unknown_type", "2026-11-28T12:00:00Z"),
  ]);
  assert.deepEqual(
    groups.map(({ reason, count, newest }) => [reason, count, newest]),
    [
      ["unknown_type", 2, "2026-11-28T12:01:00Z"],
      ["missing_ts", 1, "2026-11-28T12:02:00Z"],
    ],
  );
});
