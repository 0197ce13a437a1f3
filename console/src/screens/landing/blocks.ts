/** What the content of a landing page says, block by block; docs/landing-pages.md has the grammar. */

export interface Block {
  type: string;
  id: string;
  [field: string]: unknown;
}

export type Path = readonly (string | number)[];

export interface Text {
  path: Path;
  value: string;
  isLong: boolean;
}

const LINK = { label: "See it", href: "#top" };
const ENTRY = { heading: "A short heading", body: "What it means for the reader." };

/** A first version of each block that needs no file: words to be replaced. */
export const EXAMPLES: Record<string, { name: string; fields: Record<string, unknown> }> = {
  hero: {
    name: "Top of the page",
    fields: { heading: "What it is, in a few words", body: "Why it is good.", links: [LINK] },
  },
  text: { name: "Text", fields: { heading: "A heading", body: "Some sentences. **Bold** and [links](#top) work." } },
  features: { name: "Features", fields: { heading: "Why this one", items: [ENTRY, ENTRY] } },
  steps: { name: "Steps", fields: { heading: "How it works", items: [ENTRY, ENTRY] } },
  faq: {
    name: "Questions",
    fields: { heading: "Before you buy", items: [{ question: "A question?", answer: "Its answer." }] },
  },
  testimonials: {
    name: "Voices of customers",
    fields: { items: [{ quote: "What a customer said.", name: "Who said it" }] },
  },
  stats: {
    name: "Figures",
    fields: {
      items: [
        { value: "60 days", label: "to return it" },
        { value: "2 days", label: "until it arrives" },
      ],
    },
  },
  comparison: {
    name: "Comparison",
    fields: {
      heading: "Next to others",
      columns: ["Ours", "Others"],
      rows: [{ label: "Made by hand", cells: ["yes", "no"] }],
    },
  },
  cta: { name: "Call to act", fields: { heading: "Begin today", links: [LINK] } },
};

const OWN_TEXTS: Record<string, readonly string[]> = {
  hero: ["heading", "body"],
  text: ["heading", "body"],
  cta: ["heading", "body"],
  product: ["name", "body"],
};
const NO_TEXTS = new Set([
  "type",
  "id",
  "tone",
  "hide_on",
  "evidence_ref",
  "asset_id",
  "poster_asset_id",
  "style",
  "currency",
]);
const LONG = new Set(["body", "answer", "quote"]);

/** Return the blocks of content as JSON text; null where it cannot be read. */
export function blocksOf(text: string): Block[] | null {
  try {
    const { blocks } = JSON.parse(text) as { blocks?: unknown };
    return Array.isArray(blocks) && blocks.every(isBlock) ? blocks : null;
  } catch {
    return null;
  }
}

function isBlock(value: unknown): value is Block {
  return typeof value === "object" && value !== null && "type" in value && "id" in value;
}

/** Return every text of a block, in the order as it stands there; those that it may have first. */
export function textsOf(block: Block): Text[] {
  const own = OWN_TEXTS[block.type] ?? [];
  const missing = Object.fromEntries(own.map((name) => [name, ""]));
  return [...texts({ ...missing, ...block }, [])];
}

function* texts(value: unknown, path: Path): Generator<Text> {
  if (typeof value === "string") yield { path, value, isLong: LONG.has(String(path.at(-1))) };
  else if (Array.isArray(value)) for (const [place, each] of value.entries()) yield* texts(each, [...path, place]);
  else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) if (!NO_TEXTS.has(name)) yield* texts(each, [...path, name]);
  }
}

/** Return a value with another one at a path. An empty text that need not be there goes. */
export function withValue<T>(whole: T, [name, ...rest]: Path, value: unknown): T {
  if (name === undefined) return value as T;
  const inside = (whole as Record<string | number, unknown>)[name];
  const next = withValue(inside, rest, value);
  if (Array.isArray(whole)) return whole.with(Number(name), next) as T;
  const changed = { ...whole, [name]: next };
  if (rest.length === 0 && value === "" && name === "body") delete (changed as Record<string, unknown>)[name];
  return changed;
}

const WORDS: Record<string, string> = {
  body: "text",
  cells: "cell",
  columns: "column",
  href: "leads to",
  items: "entry",
  label: "words",
  link: "link",
  links: "link",
  rows: "row",
};

/** Return what a text is, in words: links[0].href is "Link 1, leads to". */
export function wordsOf(path: Path): string {
  const parts: string[] = [];
  for (const step of path) {
    if (typeof step === "number") parts.push(`${parts.pop() ?? ""} ${step + 1}`);
    else parts.push(WORDS[step] ?? step.replaceAll("_", " "));
  }
  const words = parts.join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return a new block of a type, with an id that no other block has. */
export function newBlock(type: string, others: readonly Block[]): Block {
  const ids = new Set(others.map(({ id }) => id));
  let number = 1;
  while (ids.has(number === 1 ? type : `${type}-${number}`)) number += 1;
  return { type, id: number === 1 ? type : `${type}-${number}`, ...structuredClone(EXAMPLES[type]?.fields) };
}
