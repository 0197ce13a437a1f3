import type { Schemas } from "../../api/client.ts";

export type Mutation = Schemas["Mutation"];
export type Action = Mutation["action"];

/** What an action needs besides its selector. */
export type Needs = "text" | "html" | "styles" | "attributes" | "nothing";

interface ActionWords {
  label: string;
  needs: Needs;
  /** Another name of the same action, from older releases: shown where it is stored, not offered. */
  isOlder?: boolean;
}

export const ACTIONS: Record<Action, ActionWords> = {
  text: { label: "Replace the text", needs: "text" },
  html: { label: "Replace the content (HTML)", needs: "html" },
  style: { label: "Change the style", needs: "styles" },
  attribute: { label: "Change attributes", needs: "attributes" },
  remove: { label: "Remove it", needs: "nothing" },
  insertBefore: { label: "Insert before it", needs: "html" },
  insertAfter: { label: "Insert after it", needs: "html" },
  setText: { label: "Replace the text (setText)", needs: "text", isOlder: true },
  setStyle: { label: "Change the style (setStyle)", needs: "styles", isOlder: true },
};

/** Return the change with another action: what the new one cannot have is gone. */
export function withAction(change: Mutation, action: Action): Mutation {
  const { selector, description, text = "", html = "", styles = {}, attributes = {} } = change;
  const kept = { selector, action, ...(description !== undefined && { description }) };
  const { needs } = ACTIONS[action];
  if (needs === "text") return { ...kept, text };
  if (needs === "html") return { ...kept, html: html || text };
  if (needs === "styles") return { ...kept, styles };
  return needs === "attributes" ? { ...kept, attributes } : kept;
}

/** Return styles as lines of `name: value`. */
export function stylesAsText(styles: Readonly<Record<string, string>> = {}): string {
  return Object.entries(styles)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Read lines of `name: value`, as in a style sheet. Lines without a value are left out. */
export function stylesIn(text: string): Record<string, string> {
  const pairs = text.split(/[\n;]/).flatMap((line): [string, string][] => {
    const place = line.indexOf(":");
    const [name, value] = [line.slice(0, place).trim(), line.slice(place + 1).trim()];
    return place > 0 && name && value ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs);
}

/** Return attributes as lines of `name=value`; one that is removed has no value. */
export function attributesAsText({ attributes, attribute }: Pick<Mutation, "attributes" | "attribute">): string {
  const all = attribute ? { ...attributes, [attribute.name]: attribute.value } : (attributes ?? {});
  return Object.entries(all)
    .map(([name, value]) => (value === null ? name : `${name}=${value}`))
    .join("\n");
}

/** Read lines of `name=value`; a name alone removes the attribute. */
export function attributesIn(text: string): Record<string, string | null> {
  const pairs = text.split("\n").flatMap((line): [string, string | null][] => {
    const place = line.indexOf("=");
    const name = (place < 0 ? line : line.slice(0, place)).trim();
    return name ? [[name, place < 0 ? null : line.slice(place + 1).trim()]] : [];
  });
  return Object.fromEntries(pairs);
}

const LONGEST = 60;

/** Return one change in words: `Replace the text of h1: Made by hand`. */
export function changeInWords(change: Mutation): string {
  const { selector, action, text, html, styles } = change;
  const { label, needs } = ACTIONS[action];
  const value = {
    text,
    html,
    styles: stylesAsText(styles).replaceAll("\n", "; "),
    attributes: attributesAsText(change).replaceAll("\n", ", "),
    nothing: undefined,
  }[needs];
  const short = value && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  return `${label.replace(/ \(.*/, "").replace(/ it$/, "")}: ${selector}${short ? ` → ${short}` : ""}`;
}
