import assert from "node:assert/strict";
import { test } from "node:test";
import { at, withQuery } from "../src/address.ts";
import { asCurl, shopId } from "../src/api/client.ts";
import { ago } from "../src/kit/values.tsx";

test("at, an id with a slash: is one part of the address", () => {
  shopId.value = "shop-1";
  assert.equal(at("/experiments", "a/b"), "/console/shop-1/experiments/a%2Fb");
  assert.equal(at(""), "/console/shop-1");
});

test("withQuery, an empty value: removes the parameter", () => {
  assert.equal(withQuery("/x?a=1&b=2", { a: "", c: "ü" }), "/x?b=2&c=%C3%BC");
  assert.equal(withQuery("/x?a=1", { a: null }), "/x");
});

test("asCurl, a body with a quote: can be pasted into a shell", () => {
  Object.assign(globalThis, { location: { origin: "https://api.example" } });
  const call = { method: "POST", url: "/api/v1/flags", body: `{"name":"it's"}`, status: 201, requestId: null };
  assert.match(asCurl(call), /-d '\{"name":"it'\\''s"\}'$/);
});

test("ago, several distances: uses the largest unit", () => {
  const now = Date.parse("2026-11-28T12:00:00Z");
  assert.equal(ago("2026-11-28T11:59:30Z", now), "30 seconds ago");
  assert.equal(ago("2026-11-28T09:00:00Z", now), "3 hours ago");
  assert.equal(ago("2026-11-27T11:00:00Z", now), "yesterday");
});
