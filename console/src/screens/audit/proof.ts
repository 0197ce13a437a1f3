import type { Schemas } from "../../api/client.ts";

type Proof = Schemas["AuditProof"];

/** What a check found; `steps` is how many hashes lead from the row to the root. */
export interface Verdict {
  isProven: boolean;
  /** Why not. */
  problem: string | null;
  steps: number;
}

const LEAF = 0;
const NODE = 1;

/**
 * Hash the row, and with each step of its path go up to the root of the seal (RFC 6962, section 2.1.1), as a verifier
 * of one's own would: nothing of the server's answer is believed but the seal itself.
 */
export async function check(proof: Proof): Promise<Verdict> {
  const steps = proof.path.length;
  const refuse = (problem: string): Verdict => ({ isProven: false, problem, steps });
  let node = await digest(LEAF, new TextEncoder().encode(proof.content));
  if (hex(node) !== proof.leaf) return refuse("The row is not the one that was hashed.");
  let index = proof.leaf_index;
  let last = proof.seal.size - 1;
  if (index > last) return refuse("The seal has fewer rows than the proof says.");
  for (const step of proof.path) {
    // A node without a sibling moves up as it is.
    while (index === last && index % 2 === 0 && last > 0) [index, last] = [index / 2, Math.floor(last / 2)];
    const sibling = bytes(step);
    node = index % 2 ? await digest(NODE, sibling, node) : await digest(NODE, node, sibling);
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  if (hex(node) !== proof.seal.root || proof.root !== proof.seal.root) {
    return refuse("The row does not lead to the root of the seal.");
  }
  if ((await sealDigest(proof.seal)) !== proof.seal.sha256) return refuse("The seal itself was changed.");
  return { isProven: true, problem: null, steps };
}

/** Return the SHA-256 of a seal: of canonical JSON of its other fields, keys sorted, no spaces. */
export async function sealDigest(seal: Proof["seal"]): Promise<string> {
  const { sha256: _, ...others } = seal;
  const fields = Object.entries(others).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(fields)));
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
}

async function digest(prefix: number, ...parts: Uint8Array[]): Promise<Uint8Array> {
  const all = new Uint8Array(1 + parts.reduce((length, part) => length + part.length, 0));
  all[0] = prefix;
  let place = 1;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hex(of: Uint8Array): string {
  return Array.from(of, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
