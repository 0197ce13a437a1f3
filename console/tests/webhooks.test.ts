import assert from "node:assert/strict";
import { test } from "node:test";
import { fromInput, toInput } from "../src/kit/moments.ts";
import { curlOf, prettyJson } from "../src/screens/webhooks/curl.ts";
import { duration, healthOf, shortened } from "../src/screens/webhooks/health.tsx";

const WEBHOOK = {
  id: "w",
  url: "https://shop.example/hooks",
  events: ["experiment.started"] as never[],
  active: true,
  hasSecret: true,
  consecutiveFailures: 0,
  disabledAt: null,
  archived_at: null,
  archived_by: null,
  created_at: "2026-11-28T12:00:00Z",
};
const stats = (counts: Partial<Record<"delivered" | "dead" | "failed", number>>) => ({
  since: "2026-11-27T12:00:00Z",
  complete: true,
  counts: { queued: 0, processing: 0, delivered: 0, failed: 0, dead: 0, ...counts },
  latency_ms: { p50: null, p95: null },
});

test("healthOf, each state: the worst of what is known decides", () => {
  assert.equal(healthOf(WEBHOOK, stats({ delivered: 3 })).words, "works");
  assert.equal(healthOf(WEBHOOK, stats({ delivered: 3, dead: 1 })).tone, "warn");
  assert.equal(healthOf({ ...WEBHOOK, consecutiveFailures: 2 }, stats({ delivered: 3 })).tone, "bad");
  assert.equal(healthOf({ ...WEBHOOK, active: false, disabledAt: "2026-11-28T12:00:00Z" }, null).tone, "bad");
  assert.equal(healthOf({ ...WEBHOOK, active: false }, null).words, "off");
  assert.equal(healthOf(WEBHOOK, null).words, "on");
});

test("duration, several sizes: in the unit that reads best", () => {
  assert.deepEqual([null, 7, 2100, 240_000].map(duration), ["–", "7 ms", "2.1 s", "4 min"]);
});

test("shortened, an address: loses its scheme only", () => {
  assert.equal(shortened("https://shop.example/a?b=1"), "shop.example/a?b=1");
});

test("curlOf, a body with quotes: is passed byte by byte", () => {
  const command = curlOf({ url: "https://x.example/", headers: { "webhook-id": "1" }, body: `{"a":"it's"}` });
  assert.match(command, /--data-binary '\{"a":"it'\\''s"\}'$/);
  assert.match(command, /-H 'webhook-id: 1'/);
});

test("prettyJson, no JSON: is returned as it is", () => {
  assert.equal(prettyJson("<html>"), "<html>");
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
});

test("fromInput and toInput, both sides of a change of the clock: are each other's inverse", () => {
  for (const text of ["2026-10-25T01:30", "2026-10-25T04:30", "2026-07-01T00:00", "2026-12-31T23:59"]) {
    assert.equal(toInput(fromInput(text, "Europe/Berlin"), "Europe/Berlin"), text);
  }
  assert.equal(fromInput("2026-11-28T12:00", "Europe/Berlin"), "2026-11-28T11:00:00.000Z");
  assert.equal(fromInput("", "UTC"), null);
});
