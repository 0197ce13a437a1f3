import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { check, sealDigest } from "../src/screens/audit/proof.ts";
import { linesOf, placeOf, titleOf } from "../src/screens/audit/words.ts";

const sha = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();

/** The tree and the path as RFC 6962 defines them, by recursion: the check goes upwards in a loop. */
function root(leaves: Buffer[]): Buffer {
  if (leaves.length === 1) return sha(Buffer.from([0]), leaves[0] as Buffer);
  const half = split(leaves.length);
  return sha(Buffer.from([1]), root(leaves.slice(0, half)), root(leaves.slice(half)));
}

function path(index: number, leaves: Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const half = split(leaves.length);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return index < half ? [...path(index, left), root(right)] : [...path(index - half, right), root(left)];
}

function split(length: number): number {
  let half = 1;
  while (half * 2 < length) half *= 2;
  return half;
}

async function proofOf(index: number, size: number) {
  const leaves = Array.from({ length: size }, (_, place) => Buffer.from(`{"row":${place}}`));
  const fields = {
    date: "2026-11-28",
    previous: null,
    root: root(leaves).toString("hex"),
    sealed_at: "2026-11-29T02:00:00.000Z",
    sha256: "",
    shop_id: "s",
    size,
  };
  const seal = { ...fields, sha256: await sealDigest(fields) };
  return {
    audit_log_id: "a",
    content: String(leaves[index]),
    leaf: sha(Buffer.from([0]), leaves[index] as Buffer).toString("hex"),
    leaf_index: index,
    path: path(index, leaves).map((step) => step.toString("hex")),
    root: seal.root,
    seal,
  };
}

test("check, every row of trees of up to 17 rows: is proven", async () => {
  for (let size = 1; size <= 17; size++) {
    for (let index = 0; index < size; index++) {
      const verdict = await check(await proofOf(index, size));
      assert.ok(verdict.isProven, `row ${index} of ${size}: ${verdict.problem}`);
    }
  }
});

test("check, anything that was altered: is not proven, with the reason", async () => {
  const proof = await proofOf(3, 7);
  const altered = [
    { ...proof, content: `${proof.content} ` },
    { ...proof, leaf_index: 4 },
    { ...proof, leaf_index: 7 },
    { ...proof, path: proof.path.slice(1) },
    { ...proof, path: [...proof.path].reverse() },
    { ...proof, root: proof.leaf },
    { ...proof, seal: { ...proof.seal, root: proof.leaf } },
    { ...proof, seal: { ...proof.seal, size: 8 } },
    { ...proof, seal: { ...proof.seal, date: "2026-11-27" } },
  ];
  for (const each of altered) {
    const { isProven, problem } = await check(each);
    assert.ok(!isProven && problem);
  }
});

test("linesOf, values, code and nothing: are text", () => {
  assert.deepEqual(linesOf({ name: [null, "A"], code: [{ length: 3, sha256: "abcdefabcdefab" }, [1]] }), [
    { field: "name", before: "–", after: "A" },
    { field: "code", before: "3 characters, SHA-256 abcdefabcdef…", after: "[\n  1\n]" },
  ]);
  assert.deepEqual(linesOf(null), []);
});

test("placeOf and titleOf, kinds with and without a screen: are named", () => {
  assert.equal(placeOf("webhook", "a/b"), "/webhooks/a%2Fb");
  assert.equal(placeOf("settings", "x"), "/settings");
  assert.equal(placeOf("something_new", "x"), null);
  assert.equal(titleOf({ action: "api_key.rotate", entity_type: "api_key" }), "API key: rotate");
});
