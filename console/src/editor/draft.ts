import type { Schemas } from "../api/client.ts";
import type { Draft, Mutation } from "./changes.ts";

type Variation = Schemas["Variation"];
export type Block = NonNullable<NonNullable<Schemas["VariationUpdate"]["url_blocks"]>[number]>;

/** The changes of a variation for one set of addresses: everywhere, or a URL block. */
export interface Part extends Draft {
  /** null for what is shown wherever no block matches. */
  block: Block | null;
  name: string;
}

/** Return the parts of a stored variation, the one for every page first. */
export function partsOf(variation: Variation): Part[] {
  const everywhere = {
    block: null,
    name: "Every page",
    mutations: list(variation.mutations),
    css: variation.custom_css ?? "",
  };
  const blocks = (variation.url_blocks ?? []) as Block[];
  return [
    everywhere,
    ...blocks.map((block) => ({ block, name: block.name, mutations: block.mutations, css: block.css ?? "" })),
  ];
}

/** Return the body that stores these parts. */
export function updateOf(parts: readonly Part[]): Schemas["VariationUpdate"] {
  const everywhere = parts.find(({ block }) => block === null);
  const blocks = parts.flatMap(({ block, mutations, css }) =>
    block ? [{ ...block, mutations, ...(css || block.css !== undefined ? { css } : {}) }] : [],
  );
  return {
    mutations: everywhere?.mutations ?? [],
    custom_css: everywhere?.css || null,
    url_blocks: blocks.length > 0 ? blocks : null,
  };
}

/** Return the parts with one block moved by a step; the part for every page stays first. */
export function movedPart(parts: readonly Part[], place: number, step: 1 | -1): Part[] {
  const [one, other] = [parts[place], parts[place + step]];
  return one?.block && other?.block ? parts.with(place, other).with(place + step, one) : [...parts];
}

function list(mutations: unknown): Mutation[] {
  return Array.isArray(mutations) ? (mutations as Mutation[]) : [];
}
