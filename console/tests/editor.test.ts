import assert from "node:assert/strict";
import { test } from "node:test";
import { inShort, type Mutation, moved, placed, taken, withChange } from "../src/editor/changes.ts";
import { movedPart, partsOf, updateOf } from "../src/editor/draft.ts";
import { begun, done, redone, undone } from "../src/editor/history.ts";
import { isOfShop } from "../src/editor/live.ts";
import { readMessage } from "../src/editor/messages.ts";
import { asHex } from "../src/editor/style_fields.tsx";

const NONCE = "nonce-1";
const SELECTED = {
  source: "svc-edit",
  nonce: NONCE,
  type: "selected",
  element: { tag: "h1", path: ["body", "h1"], selectors: [{ selector: "h1", strength: "name" }], text: "Hello" },
};

test("readMessage, the chosen element: has every field, absent ones empty", () => {
  const message = readMessage(SELECTED, NONCE, true);
  assert.equal(message?.type, "selected");
  assert.deepEqual(message?.type === "selected" && message.element, {
    tag: "h1",
    path: ["body", "h1"],
    selectors: [{ selector: "h1", strength: "name" }],
    isPlain: false,
    text: "Hello",
    html: "",
    isLong: false,
    first: "",
    last: "",
    attributes: {},
    styles: {},
  });
});

test("readMessage, a page that lies: is nothing, or cut to what the panel can hold", () => {
  const lies: unknown[] = [
    null,
    "text",
    [],
    { source: "other", type: "ready", nonce: NONCE },
    { ...SELECTED, nonce: "another" },
    { ...SELECTED, element: null },
    { ...SELECTED, element: { selectors: "h1" } },
    { ...SELECTED, element: { selectors: [{ selector: 7 }] } },
    { source: "svc-edit", nonce: NONCE, type: "__proto__" },
    { source: "svc-edit", nonce: NONCE, type: "save", mutations: [] },
  ];
  for (const lie of lies) assert.equal(readMessage(lie, NONCE, true), null);
  const huge = { ...SELECTED.element, text: "x".repeat(10 ** 6), attributes: { a: { toString: "no" } } };
  const message = readMessage({ ...SELECTED, element: huge }, NONCE, true);
  assert.equal(message?.type === "selected" && message.element.text.length, 20_000);
  assert.deepEqual(message?.type === "selected" && message.element.attributes, { a: "" });
  const shown = { source: "svc-edit", nonce: NONCE, type: "shown", turn: "1", matches: [1, "2", null], errors: [{}] };
  assert.deepEqual(readMessage(shown, NONCE, true), { type: "shown", turn: -1, matches: [1, -1, -1], errors: [""] });
});

test("readMessage, a page in a window: takes every message with the nonce, and none of a preview", () => {
  const hello = { source: "svc-edit", type: "hello", url: "https://shop.example/" };
  assert.equal(readMessage(hello, NONCE, false), null);
  assert.deepEqual(readMessage({ ...hello, nonce: NONCE }, NONCE, false), {
    type: "hello",
    url: "https://shop.example/",
  });
  assert.deepEqual(readMessage(hello, NONCE, true), { type: "hello", url: "" });
  assert.equal(readMessage({ source: "svc-preview", type: "hello", url: "x" }, NONCE, false), null);
});

test("isOfShop, origins of a window: are the page's own, or of the shop's hosts and at least as safe", () => {
  const [address, hosts] = ["https://www.shop.example/a", ["shop.example", "checkout.example", ""]];
  for (const origin of [
    "https://www.shop.example",
    "https://shop.example",
    "https://de.shop.example",
    "https://checkout.example",
  ])
    assert.equal(isOfShop(origin, address, hosts), true, origin);
  for (const origin of [
    "http://www.shop.example",
    "https://notshop.example",
    "https://shop.example.evil.example",
    "null",
    "",
  ])
    assert.equal(isOfShop(origin, address, hosts), false, origin);
  assert.equal(isOfShop("http://localhost:9702", "http://localhost:9702/", []), true);
  assert.equal(isOfShop("https://evil.example", "javascript:alert(1)", ["evil.example"]), false);
});

test("history, steps that join: are one step, and undo and redo go through all", () => {
  let history = begun(1);
  history = done(history, 2);
  history = done(history, 3, true);
  history = done(history, 4);
  assert.deepEqual(history.past, [1, 3]);
  history = undone(undone(undone(history)));
  assert.equal(history.present, 1);
  history = redone(redone(redone(history)));
  assert.equal(history.present, 4);
  assert.deepEqual(done(undone(history), 9).future, []);
});

test("withChange, the same selector and action: takes the place of the one before", () => {
  const first = withChange([], { selector: "h1", action: "text", text: "a" });
  const both = withChange(first, { selector: "h1", action: "style", styles: { color: "red" } });
  const changed = withChange(both, { selector: "h1", action: "text", text: "b" });
  assert.deepEqual(
    changed.map(({ action, text }) => [action, text]),
    [
      ["text", "b"],
      ["style", undefined],
    ],
  );
  assert.equal(inShort(changed[1] ?? { selector: "", action: "remove" }), "Style: color red");
  assert.deepEqual(
    moved(changed, 1, -1).map(({ action }) => action),
    ["style", "text"],
  );
  assert.equal(moved(changed, 0, -1).length, 2);
});

test("updateOf, parts of a stored variation: are what was stored", () => {
  const block = { id: "b", name: "Lamps", urlRules: [{}], mutations: [{ selector: "p", action: "remove" }] };
  const stored = { mutations: [{ selector: "h1", action: "text", text: "x" }], custom_css: null, url_blocks: [block] };
  const parts = partsOf(stored as never);
  assert.deepEqual(
    parts.map(({ name }) => name),
    ["Every page", "Lamps"],
  );
  assert.deepEqual(updateOf(parts), stored);
  assert.equal(updateOf(parts.slice(0, 1)).url_blocks, null);
});

test("movedPart, blocks in their order: change places, and none comes before every page", () => {
  const blocks = ["a", "b"].map((id) => ({ id, name: id, urlRules: [{}], mutations: [] }));
  const parts = partsOf({ mutations: [], custom_css: null, url_blocks: blocks } as never);
  const names = (them: readonly { name: string }[]) => them.map(({ name }) => name);
  assert.deepEqual(names(movedPart(parts, 1, 1)), ["Every page", "b", "a"]);
  assert.deepEqual(names(movedPart(parts, 1, -1)), ["Every page", "a", "b"]);
  assert.deepEqual(names(movedPart(parts, 2, 1)), ["Every page", "a", "b"]);
});

test("placed, an element that was changed before: is gone from its place, and its copy has what was changed", () => {
  const before: Mutation[] = [
    { selector: "h1", action: "text", text: "New" },
    { selector: "h1", action: "insertAfter", html: "<i>x</i>" },
    { selector: "p", action: "remove" },
  ];
  const moving = { selector: "h1", html: "<h1>New</h1>" };
  assert.deepEqual(placed(before, moving, "ul", "insertBefore"), [
    before[1],
    before[2],
    { selector: "h1:not([data-svc])", action: "remove", description: "Moved from here" },
    { selector: "ul", action: "insertBefore", html: "<h1>New</h1>", description: "Moved here" },
  ]);
  assert.equal(taken([], { selector: "a, b", html: "" })[0]?.selector, ":is(a, b):not([data-svc])");
});

test("asHex, colours as browsers compute them: are those of the chooser", () => {
  assert.equal(asHex("rgb(255, 0, 16)"), "#ff0010");
  assert.equal(asHex("rgba(255, 0, 16, 0.5)"), "#ff0010");
  assert.equal(asHex("#abcdef"), "#abcdef");
  assert.equal(asHex("rgba(0, 0, 0, 0)"), "#ffffff");
  assert.equal(asHex("transparent"), "#000000");
});
