/** What the parts of a landing page have, as fields; docs/landing-pages.md has the grammar. */

import { FORM_FIELDS } from "./form_parts.ts";
import type { ListPart, Part } from "./part.ts";

const HEADING: Part = { kind: "text", name: "heading", label: "Heading", isRequired: true, isWide: true };
const BODY: Part = { kind: "long", name: "body", label: "Text" };
const IMAGE: Part = { kind: "image", name: "image", label: "Picture" };
const EVIDENCE: Part = {
  kind: "text",
  name: "evidence_ref",
  label: "Evidence",
  hint: "Where the proof is, for your own checks. Visitors do not see it.",
};

const LINK: readonly Part[] = [
  { kind: "text", name: "label", label: "Words", isRequired: true },
  { kind: "address", name: "href", label: "Leads to", isRequired: true },
  {
    kind: "choice",
    name: "style",
    label: "Looks like",
    hint: "By its place: the first is a button in your colour, the second one with a border.",
    options: [
      { value: "", label: "By its place" },
      { value: "primary", label: "Button in your colour" },
      { value: "secondary", label: "Button with a border" },
      { value: "text", label: "Link" },
    ],
  },
];

const FOOTER_LINK = LINK.slice(0, 2);

function links(least: number, most: number, fields = LINK): ListPart {
  return {
    kind: "list",
    name: "links",
    label: "Links",
    one: "link",
    least,
    most,
    isRequired: least > 0,
    named: "label",
    fields,
    first: { label: "", href: "" },
  };
}

function items(one: string, [least, most]: [number, number], named: string, fields: readonly Part[]): ListPart {
  const first = Object.fromEntries(fields.filter(({ isRequired }) => isRequired).map(({ name }) => [name, ""]));
  return {
    kind: "list",
    name: "items",
    label: `${one.charAt(0).toUpperCase()}${one.slice(1)}s`,
    one,
    least,
    most,
    isRequired: true,
    named,
    fields,
    first,
  };
}

const ENTRIES: readonly Part[] = [HEADING, BODY, IMAGE];

interface BlockKind {
  name: string;
  /** What it is for, in a sentence. */
  about: string;
  fields: readonly Part[];
}

export const BLOCKS: Record<string, BlockKind> = {
  hero: {
    name: "Top of the page",
    about: "What people see first: a large heading, a sentence or two, buttons, a picture.",
    fields: [HEADING, BODY, IMAGE, links(0, 2)],
  },
  text: {
    name: "Text",
    about: "Sentences and lists, with a heading if you like.",
    fields: [
      { ...HEADING, isRequired: false },
      { kind: "long", name: "body", label: "Text", isRequired: true, rows: 6 },
    ],
  },
  image: {
    name: "Picture",
    about: "One picture across the page.",
    fields: [
      { ...IMAGE, isRequired: true },
      { kind: "text", name: "caption", label: "Words below it", isWide: true },
    ],
  },
  video: {
    name: "Film",
    about: "A film that starts when the visitor starts it.",
    fields: [
      { kind: "file", of: "film", name: "asset_id", label: "Film", isRequired: true },
      {
        kind: "file",
        of: "picture",
        name: "poster_asset_id",
        label: "Picture before it starts",
        isRequired: true,
      },
      { kind: "text", name: "title", label: "What it shows", isRequired: true, isWide: true },
    ],
  },
  features: {
    name: "Features",
    about: "Two to twelve good points next to each other, each with an icon or a picture if you like.",
    fields: [HEADING, items("feature", [2, 12], "heading", ENTRIES)],
  },
  steps: {
    name: "Steps",
    about: "How it works, one numbered step after the other.",
    fields: [HEADING, items("step", [2, 12], "heading", ENTRIES)],
  },
  product: {
    name: "Product",
    about: "One product with its picture, its price and a button.",
    fields: [
      { kind: "text", name: "name", label: "Name", isRequired: true },
      { kind: "number", name: "price", label: "Price", isRequired: true, min: 0, step: "any" },
      { kind: "text", name: "currency", label: "Currency", isRequired: true, hint: "Three letters, such as EUR." },
      BODY,
      IMAGE,
      { kind: "part", name: "link", label: "Button", isRequired: true, fields: LINK },
    ],
  },
  comparison: {
    name: "Comparison",
    about: "A table: what you offer next to what others offer.",
    fields: [
      HEADING,
      { kind: "texts", name: "columns", label: "Columns", one: "column", least: 2, most: 4, isRequired: true },
      {
        kind: "list",
        name: "rows",
        label: "Rows",
        one: "row",
        least: 1,
        most: 30,
        isRequired: true,
        named: "label",
        first: { label: "", cells: ["", ""] },
        fields: [
          { kind: "text", name: "label", label: "What is compared", isRequired: true },
          { kind: "cells", name: "cells", label: "Cells", isRequired: true },
        ],
      },
    ],
  },
  testimonials: {
    name: "Voices of customers",
    about: "What customers said. A single one is shown large.",
    fields: [
      items("voice", [1, 12], "name", [
        { kind: "long", name: "quote", label: "What was said", isRequired: true },
        { kind: "text", name: "name", label: "Who said it", isRequired: true },
        EVIDENCE,
      ]),
    ],
  },
  stats: {
    name: "Figures",
    about: "Two to six numbers in large letters, each with what it means.",
    fields: [
      items("figure", [2, 6], "value", [
        { kind: "text", name: "value", label: "Figure", isRequired: true },
        { kind: "text", name: "label", label: "What it means", isRequired: true },
        EVIDENCE,
      ]),
    ],
  },
  faq: {
    name: "Questions",
    about: "Questions that open to their answers.",
    fields: [
      HEADING,
      items("question", [1, 30], "question", [
        { kind: "text", name: "question", label: "Question", isRequired: true, isWide: true },
        { kind: "long", name: "answer", label: "Answer", isRequired: true },
      ]),
    ],
  },
  cta: {
    name: "Call to act",
    about: "A last heading with one or two buttons.",
    fields: [HEADING, BODY, links(1, 2)],
  },
  form: {
    name: "Form",
    about: "Visitors leave their address or write to you; an address of your shop takes it.",
    fields: [
      HEADING,
      {
        kind: "text",
        name: "action",
        label: "Address that takes it",
        isRequired: true,
        isWide: true,
        hint: "On your shop, such as https://shop.example/contact.",
      },
      FORM_FIELDS,
      { kind: "text", name: "submit", label: "Words on the button", isRequired: true },
    ],
  },
};

/** What an unknown block has: a newer release of the service knows it. */
export const UNKNOWN: BlockKind = { name: "Other block", about: "", fields: [] };

const TONE: Part = {
  kind: "choice",
  name: "tone",
  standard: "plain",
  label: "Background",
  options: [
    { value: "", label: "Plain" },
    { value: "muted", label: "Quiet colour" },
    { value: "dark", label: "Dark" },
  ],
};

/** What every block has, besides its content and its id. */
export const SHARED: readonly Part[] = [
  TONE,
  {
    kind: "choice",
    name: "hide_on",
    label: "Who sees it",
    options: [
      { value: "", label: "Everybody" },
      { value: "phone", label: "Not on phones" },
      { value: "desktop", label: "On phones only" },
    ],
  },
];

export const FOOTER: readonly Part[] = [
  { ...BODY, hint: "Your shop's name stands above it." },
  links(0, 12, FOOTER_LINK),
  TONE,
];

export const SIZES: readonly Part[] = [
  {
    kind: "number",
    name: "radius",
    label: "Round corners",
    unit: "pixels",
    min: 0,
    max: 24,
    hint: "0 to 24; else 10.",
  },
  {
    kind: "number",
    name: "width",
    label: "Width of the content",
    unit: "pixels",
    min: 720,
    max: 1440,
    step: 20,
    hint: "720 to 1440; else 1120.",
  },
];
