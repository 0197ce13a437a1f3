import type { Schemas } from "../api/client.ts";

export type Mutation = NonNullable<Schemas["VariationUpdate"]["mutations"]>[number];
export type Action = Mutation["action"];

/** What a draft of the editor holds. */
export interface Draft {
  mutations: Mutation[];
  css: string;
}

const WORDS: Record<Action, string> = {
  text: "Text",
  setText: "Text",
  html: "Content (HTML)",
  style: "Style",
  setStyle: "Style",
  attribute: "Attribute",
  remove: "Remove",
  insertBefore: "Insert before",
  insertAfter: "Insert after",
};

/** Return what a change does, in words and in short. */
export function inShort(mutation: Mutation): string {
  const { action, description } = mutation;
  if (description) return description;
  if (action === "text" || action === "setText") return `${WORDS[action]}: ${cut(mutation.text ?? "")}`;
  if (action === "style" || action === "setStyle") return `${WORDS[action]}: ${pairs(mutation.styles)}`;
  if (action === "attribute") return `${WORDS[action]}: ${pairs(mutation.attributes ?? single(mutation))}`;
  if (action === "remove") return WORDS[action];
  return `${WORDS[action]}: ${cut(mutation.html ?? "")}`;
}

/** Return the change of this selector and action in the list; -1 where there is none. */
export function placeOf(mutations: readonly Mutation[], selector: string, action: Action): number {
  return mutations.findIndex((each) => each.selector === selector && each.action === action);
}

/** Return the list with this change in the place of the one with its selector and action, or behind the others. */
export function withChange(mutations: readonly Mutation[], mutation: Mutation): Mutation[] {
  const place = placeOf(mutations, mutation.selector, mutation.action);
  return place < 0 ? [...mutations, mutation] : mutations.with(place, mutation);
}

export function without(mutations: readonly Mutation[], place: number): Mutation[] {
  return mutations.filter((_, index) => index !== place);
}

/** An element that was taken from its place, and its HTML. */
export interface Moving {
  selector: string;
  html: string;
}

const OF_CONTENT = new Set<Action>(["text", "setText", "html", "style", "setStyle", "attribute"]);

/**
 * Return the list with which the element is gone from its place. What was changed about it is part of its HTML. The copy
 * that is put elsewhere has the mark of insertions: the removal must not match it.
 */
export function taken(mutations: readonly Mutation[], { selector }: Moving): Mutation[] {
  const others = mutations.filter((each) => each.selector !== selector || !OF_CONTENT.has(each.action));
  const original = selector.includes(",") ? `:is(${selector})` : selector;
  return [...others, { selector: `${original}:not([data-svc])`, action: "remove", description: "Moved from here" }];
}

/** Return the list with which the element is next to another one: gone first, so that places count without it. */
export function placed(mutations: readonly Mutation[], moving: Moving, target: string, action: Action): Mutation[] {
  const put: Mutation = { selector: target, action, html: moving.html, description: "Moved here" };
  return [...taken(mutations, moving), put];
}

/** Return the list with one change moved by a step. */
export function moved(mutations: readonly Mutation[], place: number, step: 1 | -1): Mutation[] {
  const other = place + step;
  const [one, two] = [mutations[place], mutations[other]];
  return one && two ? mutations.with(place, two).with(other, one) : [...mutations];
}

function single({ attribute }: Mutation): Record<string, string | null> {
  return attribute ? { [attribute.name]: attribute.value } : {};
}

function pairs(values: Record<string, string | null> | undefined): string {
  return cut(
    Object.entries(values ?? {})
      .map(([name, value]) => (value === null ? `no ${name}` : `${name} ${value}`))
      .join(", "),
  );
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
