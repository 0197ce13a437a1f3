import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, outcomeOf, type PageCount } from "../src/editor/counts.ts";
import type { Part } from "../src/editor/draft.ts";
import { readMessage } from "../src/editor/messages.ts";
import { candidates, mayAct, pageAt, rulesOf, shortOf } from "../src/editor/other_pages.ts";

const SHOP = "https://shop.example";
const paths = (urls: string[]) => urls.map((url) => url.slice(SHOP.length));
const at = (path: string) => SHOP + path;

test("candidates, links of a page: are one like it, then one of each other kind, the most frequent first", () => {
  const links = ["/hats", "/hats/cap", "/hats/cap#size", "/hats/bowler", "/shoes/boot", "/", "/shoes/clog/", "/about"];
  assert.deepEqual(paths(candidates(at("/hats/top"), [], links.map(at))), [
    "/hats/cap",
    "/shoes/boot",
    "/hats",
    "/",
    "/hats/bowler",
    "/shoes/clog/",
    "/about",
  ]);
  const items = ["/item?id=1", "/item?id=2", "/news"];
  assert.deepEqual(paths(candidates(at("/item?id=3"), [], items.map(at))), ["/item?id=1", "/news", "/", "/item?id=2"]);
});

test("candidates, addresses that were opened: come first, the last one before the others, and not the page itself", () => {
  const opened = ["/a", "/b/?x=1", "/a", "/c"].map(at);
  assert.deepEqual(paths(candidates(at("/c/"), opened, [at("/b?x=1"), at("/d")])), ["/a", "/b/?x=1", "/d", "/"]);
  assert.deepEqual(candidates("about:blank", opened, []), []);
});

test("candidates, a page that names others: are of its own origin, and do nothing when they are requested", () => {
  const links = [
    "https://other.example/hats",
    "http://shop.example/hats",
    "https://shop.example.evil.example/",
    "javascript:alert(1)",
    "//evil.example",
    "",
    "%",
    ...[
      "/cart/add?id=1",
      "/Account/Logout",
      "/konto",
      "/hats/cap?add-to-cart=7",
      "/x?action=buy",
      "/x?q=a%2Fremove",
    ].map(at),
    ...["/log-out", "/sign_off", "/wishlist/7", "/list.pdf", "/%E0%A4%A", "/a?utm_source=x", "/a?b=1&c=2&d=3&e=4"].map(
      at,
    ),
    ...["/discount/TEN", "/?mylogout=", "/currency/usd", "/?currency=USD", "/hats?undo_item=7"].map(at),
    ...["/feed?token=x", "/x?next=https://evil.example", "/checkout.html", "/delete-me"].map(at),
  ];
  assert.deepEqual(paths(candidates(at("/"), links, links)), []);
});

test("mayAct, names of products: are no acts", () => {
  for (const path of [
    "/tote-bag",
    "/hats/order-of-the-hat.html",
    "/de/hüte/zylinder",
    "/loginess",
    "/saddle?colour=red",
  ])
    assert.equal(mayAct(new URL(at(path))), false, path);
});

test("pageAt, what people write: is a page of the same host without fragment, or nothing", () => {
  assert.equal(pageAt("/sale#top", at("/hats/"))?.href, at("/sale"));
  assert.equal(pageAt("cap", at("/hats/"))?.href, at("/hats/cap"));
  assert.equal(pageAt("javascript:alert(1)", at("/")), null);
  assert.equal(pageAt("sale"), null);
});

test("shortOf, a long address: keeps its beginning and its end", () => {
  assert.equal(shortOf(at("/h%C3%BCte/zylinder?x=1")), "/hüte/zylinder?x=1");
  assert.equal(shortOf(at("/collections/summer-of-felt/products/bowler-hat")), "/collection…lt/products/bowler-hat");
  assert.equal(shortOf(at("/collections/summer-of-felt/products/bowler-hat")).length, 34);
  assert.equal(shortOf(at("/%E0%A4%A")), "/%E0%A4%A");
});

const block = (id: string, ...patterns: string[]): Part => ({
  block: { id, name: id, urlRules: patterns.map((pattern) => ({ type: "simple", pattern })), mutations: [] },
  name: id,
  mutations: [],
  css: "",
});
const everywhere: Part = { block: null, name: "Every page", mutations: [], css: "" };

test("rulesOf, a part of a variation: has the rules of the experiment and those of blocks before it", () => {
  const [hats, shoes] = [block("h", "/hats/*", ""), block("s", "/shoes/*")];
  const parts = [everywhere, hats, shoes];
  const rule = (id: string, include: boolean, pattern: string) => ({
    id,
    include,
    includeRules: [{ type: "simple", pattern }],
    excludeRules: [],
  });
  assert.deepEqual(rulesOf(null, [everywhere], everywhere), []);
  assert.deepEqual(rulesOf(null, parts, everywhere), [[rule("h", false, "/hats/*"), rule("s", false, "/shoes/*")]]);
  assert.deepEqual(rulesOf(null, parts, hats), [[rule("h", true, "/hats/*")]]);
  assert.deepEqual(rulesOf(null, parts, shoes), [[rule("h", false, "/hats/*"), rule("s", true, "/shoes/*")]]);
  const pageRules = [{ id: "1" }, { id: "2", include: false }, { id: "3", disabled: true }, { id: "4", include: true }];
  const [one, two, , four] = pageRules;
  assert.deepEqual(rulesOf({ pageRules }, [everywhere], everywhere), [[one, two, four]]);
  assert.deepEqual(rulesOf({ pageRules, pageMatchMode: "all" }, [everywhere], everywhere), [[one], [four], [two]]);
});

const count = (path: string, number: number, more: Partial<PageCount> = {}): PageCount => ({
  url: at(path),
  outcome: "counted",
  to: "",
  status: 0,
  count: number,
  isOutside: false,
  ...more,
});

test("meaning, counts of other pages: is what becomes of the change there", () => {
  assert.equal(meaning(1, [count("/a", 1), count("/b", 1)], undefined), "The same on each page.");
  assert.equal(meaning(1, [count("/a", 1), count("/b", 0)], 1), "The change does nothing on /b.");
  assert.equal(meaning(1, [count("/a", 0), count("/b", 0)], -1), "The change does nothing on the other pages.");
  assert.equal(
    meaning(1, [count("/a", 12), count("/b", 0)], 1),
    "The change does nothing on /b. On /a the change is made to 12 elements.",
  );
  assert.equal(
    meaning(1, [count("/a", 4), count("/b", 4)], undefined),
    "On the other pages the change is made to 4 elements each.",
  );
  assert.equal(
    meaning(1, [count("/a", 1), count("/b", 0)], 0),
    "Scripts add it here, and may on /b, too: open it there to see.",
  );
  assert.equal(meaning(1, [count("/a", 0, { isOutside: true })], 1), "The rules of the experiment leave out /a.");
  assert.equal(
    meaning(1, [count("/a", -1, { outcome: "unread" }), count("/b", 1)], undefined),
    "The rules of this page (Content-Security-Policy) may forbid reading /a.",
  );
});

test("meaning, counts that prove nothing: is nothing", () => {
  const waiting = count("/b", -1, { outcome: "waiting" });
  assert.equal(meaning(1, [count("/a", 0), waiting], 1), "");
  assert.equal(meaning(1, [count("/a", 0)], undefined), "");
  assert.equal(meaning(0, [count("/a", 0)], 1), "");
  assert.equal(meaning(3, [count("/a", 2)], undefined), "");
  assert.equal(meaning(1, [count("/a", -1, { isOutside: true, outcome: "other" })], 1), "");
  assert.equal(meaning(1, [count("/a", -1, { outcome: "status", status: 404 })], undefined), "");
});

test("outcomeOf, a page that could not be counted: is why, and never a number", () => {
  const words = (more: Partial<PageCount>) => outcomeOf(count("/a", -1, more));
  assert.equal(words({ outcome: "elsewhere", to: at("/login") }), "leads to /login");
  assert.equal(words({ outcome: "elsewhere" }), "leads to another host");
  assert.equal(words({ outcome: "status", status: 404 }), "does not exist");
  assert.equal(words({ outcome: "status", status: 503 }), "answers with 503");
  assert.equal(words({ outcome: "other" }), "is not a page");
  assert.equal(words({ outcome: "large" }), "is too large");
  assert.equal(words({ outcome: "late" }), "does not answer");
  assert.equal(words({ outcome: "unread" }), "cannot be read");
  assert.equal(words({}), "not valid");
});

test("readMessage, counts and links of a page that lies: are cut to what the panel can hold, and to numbers", () => {
  const read = (data: object) => readMessage({ source: "svc-edit", nonce: "n", ...data }, "n", false);
  assert.deepEqual(read({ type: "counted", turn: 3, url: at("/a"), outcome: "counted", matches: [1, "2", Infinity] }), {
    type: "counted",
    turn: 3,
    url: at("/a"),
    outcome: "counted",
    to: "",
    status: -1,
    matches: [1, -1, -1],
  });
  const lie = {
    type: "counted",
    turn: {},
    url: 7,
    outcome: "<b>",
    to: "x".repeat(9999),
    status: "200",
    matches: "none",
  };
  assert.deepEqual(read(lie), {
    type: "counted",
    turn: -1,
    url: "",
    outcome: "unread",
    to: "x".repeat(2048),
    status: -1,
    matches: [],
  });
  const urls = Array.from({ length: 9999 }, () => at("/a"));
  const linked = read({ type: "linked", urls });
  assert.equal(linked?.type === "linked" && linked.urls.length, 250);
  assert.deepEqual(read({ type: "linked", urls: { 0: "x" } }), { type: "linked", urls: [] });
  assert.equal(readMessage({ source: "svc-edit", nonce: "other", type: "linked", urls: [] }, "n", false), null);
});
