import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, weakPairs } from "../src/screens/landing/colours.ts";
import {
  type Content,
  chosen,
  contentOf,
  copied,
  freeId,
  newBlock,
  placeInWords,
  put,
  renamed,
  shownPaths,
  stepped,
  withStep,
  wordsOf,
} from "../src/screens/landing/content.ts";
import { fieldName } from "../src/screens/landing/form_parts.ts";
import { BLOCKS } from "../src/screens/landing/grammar.ts";
import { type Mark, marked } from "../src/screens/landing/marks.ts";
import type { ListPart } from "../src/screens/landing/part.ts";

const SHOP = { host: "shop.example", currency: "EUR" };
const HERO = { type: "hero", id: "top", heading: "Lamps", links: [{ label: "See it", href: "#top" }] };
const TABLE = {
  type: "comparison",
  id: "table",
  heading: "Next to others",
  columns: ["Ours", "Others"],
  rows: [{ label: "By hand", cells: [true, "no"] }],
};

test("contentOf, text that is not content: returns null", () => {
  assert.equal(contentOf("{"), null);
  assert.equal(contentOf('{"blocks": [1]}'), null);
  assert.deepEqual(contentOf('{"blocks": []}'), { blocks: [] });
});

test("put, a value: leaves everything else, and takes out what is empty and need not be there", () => {
  assert.deepEqual(put(HERO, { name: "body" }, "Light"), { ...HERO, body: "Light" });
  assert.deepEqual(put({ ...HERO, body: "Light" }, { name: "body" }, ""), HERO);
  assert.equal(put(HERO, { name: "heading", isRequired: true }, "").heading, "");
  assert.equal("price" in put({ price: 1 }, { name: "price", isRequired: true }, null), false);
});

test("stepped, each step: has the entries in their new order", () => {
  assert.deepEqual(stepped(["a", "b"], { do: "add", entry: "c" }), ["a", "b", "c"]);
  assert.deepEqual(stepped(["a", "b"], { do: "add", entry: "c", at: 1 }), ["a", "c", "b"]);
  assert.deepEqual(stepped(["a", "b"], { do: "remove", at: 0 }), ["b"]);
  assert.deepEqual(stepped(["a", "b"], { do: "copy", at: 0 }), ["a", "a", "b"]);
  assert.deepEqual(stepped(["a", "b", "c"], { do: "move", at: 2, to: 0 }), ["c", "a", "b"]);
});

test("withStep, columns of a comparison: its cells follow", () => {
  const columns = { name: "columns", isRequired: true };
  const added = withStep(TABLE, columns, { do: "add", entry: "" });
  assert.deepEqual(
    [added.columns, added.rows],
    [["Ours", "Others", ""], [{ label: "By hand", cells: [true, "no", ""] }]],
  );
  const turned = withStep(TABLE, columns, { do: "move", at: 0, to: 1 });
  assert.deepEqual([turned.columns, turned.rows], [["Others", "Ours"], [{ label: "By hand", cells: ["no", true] }]]);
});

test("withStep, the last entry of a list that need not be there: the list goes", () => {
  assert.equal("links" in withStep(HERO, { name: "links" }, { do: "remove", at: 0 }), false);
});

test("freeId, a title that is taken: is a slug with a number", () => {
  assert.equal(freeId("Our Lamps!", []), "our-lamps");
  assert.equal(freeId("top", [HERO]), "top-2");
  assert.equal(freeId("…", []), "block");
});

test("renamed, a block that links lead to: they follow, in fields and in Markdown", () => {
  const text = { type: "text", id: "text", body: "Up [there](#top), not [here](#topics)." };
  const content: Content = { blocks: [HERO, text], footer: { links: [{ label: "Up", href: "#top" }] } };
  const after = renamed(content, 0, "Start");
  assert.deepEqual(after, {
    blocks: [
      { ...HERO, id: "start", links: [{ label: "See it", href: "#start" }] },
      { ...text, body: "Up [there](#start), not [here](#topics)." },
    ],
    footer: { links: [{ label: "Up", href: "#start" }] },
  });
});

test("newBlock and copied, of each kind: have an id of their own, and links that lead to a block", () => {
  for (const type of Object.keys(BLOCKS)) {
    const first = newBlock(type, [], SHOP);
    assert.deepEqual(
      [first.id, newBlock(type, [first], SHOP).id, copied(first, [first]).id],
      [type, `${type}-2`, `${type}-2`],
    );
    const addresses = JSON.stringify(first).match(/"href":"#[^"]*"/g) ?? [];
    for (const each of addresses) assert.equal(each, `"href":"#${type}"`);
  }
});

test("wordsOf, blocks without a heading: are the first words in them", () => {
  assert.equal(wordsOf(HERO), "Lamps");
  assert.equal(wordsOf(newBlock("stats", [], SHOP)), "60 days");
  assert.equal(wordsOf(newBlock("image", [], SHOP)), "");
});

test("shownPaths, fields inside lists: are known, others are not", () => {
  const form = newBlock("form", [], SHOP);
  const paths = shownPaths({ blocks: [HERO, form] });
  for (const path of ["spec.blocks.0.links.0.href", "spec.blocks.1.fields.0.label", "spec.theme.text"])
    assert.ok(paths.has(path), path);
  for (const path of ["spec.blocks.0.colour", "spec.blocks.1.fields.0.options", "spec.format"])
    assert.ok(!paths.has(path), path);
});

test("fieldName, a label: is a name that forms may send", () => {
  assert.deepEqual(["Your e-mail", "Größe", "2. Name", "…"].map(fieldName), ["your-e-mail", "grosse", "name", ""]);
});

test("settle, a field of a form: its name follows its label until it is typed, choices come and go with their type", () => {
  const settle = (BLOCKS.form?.fields.find(({ name }) => name === "fields") as ListPart | undefined)?.settle;
  assert.deepEqual(settle?.({ name: "", label: "" }, { name: "", label: "Town" }), { name: "town", label: "Town" });
  assert.equal(settle?.({ name: "mine", label: "Town" }, { name: "mine", label: "City" }).name, "mine");
  const chosen = settle?.({ name: "a", label: "A" }, { name: "a", label: "A", type: "select" }) ?? {};
  assert.deepEqual(chosen.options, [""]);
  assert.equal("options" in (settle?.(chosen, { ...chosen, type: "date" }) ?? {}), false);
});

test("contrast, known pairs: as WCAG gives them", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
});

test("weakPairs, colours of a theme: those that cannot be read", () => {
  assert.deepEqual(weakPairs({}), []);
  assert.deepEqual(weakPairs({ text: "#777777", muted: "#ffffff" }), [
    { name: "text", on: "background", ratio: 4.47 },
    { name: "text", on: "muted", ratio: 4.47 },
  ]);
  assert.deepEqual(weakPairs({ text: "#77" }), []);
});

test("marked, what is selected: has its mark, and loses it again", () => {
  const with_ = (text: string, mark: Mark) => {
    const [from, to] = [text.indexOf("["), text.indexOf("]") - 1];
    const plain = text.replace("[", "").replace("]", "");
    const after = marked({ text: plain, from, to }, mark);
    return `${after.text.slice(0, after.from)}[${after.text.slice(after.from, after.to)}]${after.text.slice(after.to)}`;
  };
  assert.equal(with_("a [lamp] b", "bold"), "a **[lamp]** b");
  assert.equal(with_("a **[lamp]** b", "bold"), "a [lamp] b");
  assert.equal(with_("a **[lamp]** b", "italic"), "a ***[lamp]*** b");
  assert.equal(with_("a ***[lamp]*** b", "italic"), "a **[lamp]** b");
  assert.equal(with_("a [] b", "italic"), "a *[words]* b");
  assert.equal(with_("[one\ntwo]", "list"), "[- one\n- two]");
  assert.equal(with_("[- one\n- two]", "list"), "[one\ntwo]");
  assert.equal(with_("before\n[one]", "list"), "before\n\n[- one]");
  const link = marked({ text: "a lamp", from: 2, to: 6 }, "link");
  assert.deepEqual(link, { text: "a [lamp](/)", from: 9, to: 10 });
});

test("placeInWords, paths of the API: name the block and the field in it", () => {
  const content = { blocks: [HERO] };
  assert.equal(placeInWords(content, "spec.blocks[0].links[0].href"), "Block 1 (Top of the page), links 1, href");
  assert.equal(placeInWords(content, "spec.theme.text"), "Look, text");
  assert.equal(placeInWords(content, "seo_manifest.title"), "Title");
  assert.equal(placeInWords(null, "spec"), "Content");
});

test("chosen, a value: its option, and one that only the JSON can make", () => {
  const options = [
    { value: "", label: "Plain" },
    { value: "dark", label: "Dark" },
  ];
  assert.deepEqual(chosen(options, undefined, "plain"), ["", options]);
  assert.deepEqual(chosen(options, "plain", "plain"), ["", options]);
  assert.deepEqual(chosen(options, "dark", "plain"), ["dark", options]);
  assert.deepEqual(chosen(options, "de-AT"), ["de-AT", [...options, { value: "de-AT", label: "de-AT" }]]);
});
