import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, EXAMPLES, newBlock, textsOf, withValue, wordsOf } from "../src/screens/landing/blocks.ts";

const HERO = { type: "hero", id: "top", heading: "Lamps", links: [{ label: "See it", href: "#top" }] };

test("textsOf, a block: has its texts, and those that it may have", () => {
  const texts = textsOf(HERO).map(({ path, value }) => [wordsOf(path), value]);
  assert.deepEqual(texts, [
    ["Heading", "Lamps"],
    ["Text", ""],
    ["Link 1, words", "See it"],
    ["Link 1, leads to", "#top"],
  ]);
});

test("withValue, a text deep inside: leaves everything else", () => {
  const changed = withValue(HERO, ["links", 0, "href"], "/sale");
  assert.deepEqual(changed, { ...HERO, links: [{ label: "See it", href: "/sale" }] });
  assert.equal(HERO.links[0]?.href, "#top");
});

test("withValue, a text that is emptied and need not be there: is gone", () => {
  assert.deepEqual(withValue({ ...HERO, body: "Light" }, ["body"], ""), HERO);
});

test("newBlock, of each kind and twice: has an id of its own", () => {
  for (const type of Object.keys(EXAMPLES)) {
    const first = newBlock(type, []);
    assert.deepEqual([first.id, newBlock(type, [first]).id], [type, `${type}-2`]);
  }
});

test("blocksOf, text that is not content: returns null", () => {
  assert.equal(blocksOf("{"), null);
  assert.equal(blocksOf('{"blocks": [1]}'), null);
  assert.deepEqual(blocksOf('{"blocks": []}'), []);
});
