/** The content of a landing page, and its changes: each returns another content and leaves the one before. */

import type { Option } from "../../kit/choices.tsx";
import { moved } from "../../kit/sortable.tsx";
import { BLOCKS, FOOTER, SHARED, SIZES } from "./grammar.ts";
import type { Part, Value } from "./part.ts";

export interface Block extends Value {
  type: string;
  id: string;
}

export interface Content extends Value {
  blocks: Block[];
}

/** Read content that is JSON text; null where it cannot be read. */
export function contentOf(text: string): Content | null {
  try {
    const content = JSON.parse(text) as Content | null;
    return Array.isArray(content?.blocks) && content.blocks.every(isBlock) ? content : null;
  } catch {
    return null;
  }
}

function isBlock(value: unknown): value is Block {
  return isPart(value) && "type" in value && "id" in value;
}

function isPart(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Return a part of the content as its fields read it: nothing, where it is missing or something else. */
export function partOf(value: unknown): Value {
  return isPart(value) ? value : {};
}

/** Return a list of the content, likewise. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Return a part with another value of one field. A field that is empty and need not be there goes. */
export function put(part: Value, { name, isRequired }: Pick<Part, "name" | "isRequired">, value: unknown): Value {
  const isEmpty = value === "" || value === null || value === undefined || value === false;
  const isGone = (isEmpty && !isRequired) || value === undefined || value === null;
  if (!isGone) return { ...part, [name]: value };
  const { [name]: _, ...rest } = part;
  return rest;
}

/** Return the choice that a value is, and all that can be chosen: one that only the JSON can make stays among them. */
export function chosen(options: readonly Option[], value: unknown, standard?: string): [string, readonly Option[]] {
  const text = typeof value === "string" && value !== standard ? value : "";
  const isKnown = options.some((option) => option.value === text);
  return [text, isKnown ? options : [...options, { value: text, label: text }]];
}

/** A change of a list: an entry more, one less, the same again, or another order. */
export type Step =
  | { do: "add"; entry: unknown; at?: number }
  | { do: "remove" | "copy"; at: number }
  | { do: "move"; at: number; to: number };

/** Return a list after a step. */
export function stepped<T>(list: readonly T[], step: Step): T[] {
  if (step.do === "add") return list.toSpliced(step.at ?? list.length, 0, step.entry as T);
  if (step.do === "remove") return list.toSpliced(step.at, 1);
  if (step.do === "move") return moved(list, step.at, step.to);
  return list.toSpliced(step.at + 1, 0, structuredClone(list[step.at]) as T);
}

/** Return a part after a step of one of its lists. The cells of a comparison follow its columns. */
export function withStep(part: Value, field: Pick<Part, "name" | "isRequired">, step: Step): Value {
  const list = stepped(listOf(part[field.name]), step);
  const after = put(part, field, list.length || field.isRequired ? list : undefined);
  if (part.type !== "comparison" || field.name !== "columns") return after;
  const rows = listOf(part.rows).map((row) => ({
    ...partOf(row),
    cells: stepped(listOf(partOf(row).cells), step.do === "add" ? { ...step, entry: "" } : step),
  }));
  return { ...after, rows };
}

/** Return an id that no other block has, from one that is wanted. */
export function freeId(wanted: string, others: readonly Block[]): string {
  const ids = new Set(others.map(({ id }) => id));
  const start =
    wanted
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join("-")
      .slice(0, 56)
      .replace(/-$/, "") || "block";
  let number = 1;
  while (ids.has(number === 1 ? start : `${start}-${number}`)) number += 1;
  return number === 1 ? start : `${start}-${number}`;
}

/** Return content in which a block has another id, and the links that lead to it follow. */
export function renamed(content: Content, place: number, wanted: string): Content {
  const block = content.blocks[place];
  if (!block) return content;
  const id = freeId(wanted, content.blocks.toSpliced(place, 1));
  const blocks = content.blocks.with(place, { ...block, id });
  return following({ ...content, blocks }, `#${block.id}`, `#${id}`) as Content;
}

function following(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((each) => following(each, from, to));
  if (typeof value === "string") return value.replaceAll(`](${from})`, `](${to})`);
  if (!isPart(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === "href" && each === from ? to : following(each, from, to),
    ]),
  );
}

/** Return a copy of a block under an id of its own. */
export function copied(block: Block, blocks: readonly Block[]): Block {
  return { ...structuredClone(block), id: freeId(block.id.replace(/-\d+$/, ""), blocks) };
}

/** Facts of the shop that a new block begins with. */
export interface ShopFacts {
  host: string;
  currency: string;
}

/** Return a new block of a type: words to be replaced, and an id that no other block has. */
export function newBlock(type: string, others: readonly Block[], shop: ShopFacts): Block {
  const id = freeId(type, others);
  const link = { label: "See it", href: `#${others[0]?.id ?? id}` };
  const entry = { heading: "A short heading", body: "What it means for the reader." };
  const field = { name: "email", label: "E-mail address", type: "email", required: true, autocomplete: "email" };
  const examples: Record<string, Value> = {
    hero: { heading: "What it is, in a few words", body: "Why it is good.", links: [link] },
    text: { heading: "A heading", body: "Some sentences. **Bold** and *italic* work." },
    video: { title: "What the film shows" },
    features: { heading: "Why this one", items: [entry, entry, entry] },
    steps: { heading: "How it works", items: [entry, entry, entry] },
    product: { name: "The product", price: 1, currency: shop.currency, link },
    comparison: {
      heading: "Next to others",
      columns: ["Ours", "Others"],
      rows: [{ label: "Made by hand", cells: [true, false] }],
    },
    testimonials: { items: [{ quote: "What a customer said.", name: "Who said it" }] },
    stats: {
      items: [
        { value: "60 days", label: "to return it" },
        { value: "2 days", label: "until it arrives" },
      ],
    },
    faq: { heading: "Before you buy", items: [{ question: "A question?", answer: "Its answer." }] },
    cta: { heading: "Begin today", links: [link] },
    form: { heading: "Write to us", action: `https://${shop.host}/contact`, submit: "Send", fields: [field] },
  };
  return { type, id, ...structuredClone(examples[type]) };
}

/** Return a label that distinguishes a block from others of its type: its heading, or its first words. */
export function wordsOf(block: Block): string {
  const [first] = listOf(block.items).map(partOf);
  const known = [block.heading, block.name, block.title, block.caption, block.body, first?.name, first?.value];
  return String(known.find((each) => typeof each === "string" && each) ?? "");
}

/** Return the paths of all fields on the screen: what the API says about another one is in the JSON alone. */
export function shownPaths(content: Content | null): Set<string> {
  const paths = new Set(["spec", "spec.lang", "spec.blocks"]);
  if (!content) return paths;
  for (const [place, block] of content.blocks.entries()) {
    const path = `spec.blocks.${place}`;
    paths.add(`${path}.id`);
    walk([...(BLOCKS[block.type]?.fields ?? []), ...SHARED], block, path, paths);
  }
  walk(FOOTER, partOf(content.footer), "spec.footer", paths);
  walk(SIZES, partOf(content.theme), "spec.theme", paths);
  for (const name of ["primary", "background", "text", "muted", "font", "font.asset_id"])
    paths.add(`spec.theme.${name}`);
  return paths;
}

function walk(fields: readonly Part[], part: Value, path: string, paths: Set<string>): void {
  for (const field of fields) {
    if (field.when && !field.when(part)) continue;
    const at = `${path}.${field.name}`;
    paths.add(at);
    const value = part[field.name];
    if (field.kind === "image") for (const name of ["asset_id", "alt"]) paths.add(`${at}.${name}`);
    if (field.kind === "part") walk(field.fields, partOf(value), at, paths);
    if (field.kind === "texts" || field.kind === "cells") {
      for (const place of listOf(value).keys()) paths.add(`${at}.${place}`);
    }
    if (field.kind === "list") {
      for (const [place, entry] of listOf(value).entries()) walk(field.fields, partOf(entry), `${at}.${place}`, paths);
    }
  }
}

const PARTS: Record<string, string> = { theme: "Look" };

/** Return where a path of the API leads, in words: "Block 2 (Features), items 1, heading". */
export function placeInWords(content: Content | null, path: string): string {
  const [, ...steps] = path
    .replace(/^body\./, "")
    .replaceAll(/\[(\w+)\]/g, ".$1")
    .split(".");
  const [part = "content", ...rest] = steps;
  const block = part === "blocks" ? content?.blocks[Number(rest[0])] : undefined;
  const inside = (block ? rest.slice(1) : rest).map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step));
  const words = inside
    .join(", ")
    .replaceAll(/, (\d+)/g, " $1")
    .replaceAll("_", " ");
  const start = block
    ? `Block ${Number(rest[0]) + 1} (${BLOCKS[block.type]?.name ?? block.type})`
    : (PARTS[part] ?? capital(part));
  return words ? `${start}, ${words}` : start;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
}
