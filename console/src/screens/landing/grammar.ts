/** What the parts of a landing page have, as fields; docs/landing-pages.md has the grammar. */

import type { Option } from "../../kit/choices.tsx";
import type { FileKind } from "../../kit/pictures.tsx";

export type Value = Record<string, unknown>;

interface Base {
  name: string;
  label: string;
  hint?: string;
  isRequired?: boolean;
  /** It takes the whole width. */
  isWide?: boolean;
  /** Whether the part has this field at the moment. */
  when?: (part: Value) => boolean;
}

export interface ListPart extends Base {
  kind: "list";
  /** What one entry is called. */
  one: string;
  least: number;
  most: number;
  fields: readonly Part[];
  /** Which field names an entry. */
  named: string;
  first: Value;
  /** What else changes in an entry where one of its fields is changed. */
  settle?: (before: Value, after: Value) => Value;
}

export interface TextsPart extends Base {
  kind: "texts";
  one: string;
  least: number;
  most: number;
}

export type Part =
  | ListPart
  | TextsPart
  | (Base & { kind: "text" | "address" | "check" | "image" | "cells" })
  | (Base & { kind: "long"; rows?: number })
  | (Base & { kind: "choice"; options: readonly Option[] })
  | (Base & { kind: "number"; unit?: string; min?: number; max?: number; step?: number | "any" })
  | (Base & { kind: "file"; of: FileKind })
  | (Base & { kind: "part"; fields: readonly Part[] });

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

const FIELD_TYPES: readonly Option[] = [
  { value: "", label: "A line of text" },
  { value: "textarea", label: "A longer text" },
  { value: "email", label: "E-mail address" },
  { value: "tel", label: "Phone number" },
  { value: "number", label: "Number" },
  { value: "date", label: "Day" },
  { value: "select", label: "One of a list" },
  { value: "checkbox", label: "Check box" },
];

const FILLS: readonly Option[] = [
  { value: "", label: "Nothing" },
  { value: "name", label: "Name" },
  { value: "given-name", label: "First name" },
  { value: "family-name", label: "Last name" },
  { value: "organization", label: "Company" },
  { value: "organization-title", label: "Position" },
  { value: "email", label: "E-mail address" },
  { value: "tel", label: "Phone number" },
  { value: "street-address", label: "Street, all lines" },
  { value: "address-line1", label: "Street, first line" },
  { value: "address-line2", label: "Street, second line" },
  { value: "postal-code", label: "Postal code" },
  { value: "address-level2", label: "Town" },
  { value: "country-name", label: "Country" },
  { value: "bday", label: "Birthday" },
  { value: "url", label: "Web address" },
  { value: "off", label: "Forbid it" },
];

const FORM_FIELDS: ListPart = {
  kind: "list",
  name: "fields",
  label: "Fields",
  one: "field",
  least: 1,
  most: 12,
  isRequired: true,
  named: "label",
  first: { name: "", label: "" },
  settle: settledField,
  fields: [
    { kind: "text", name: "label", label: "Label", isRequired: true },
    { kind: "choice", name: "type", label: "What is typed", options: FIELD_TYPES },
    { kind: "check", name: "required", label: "It must be filled in" },
    {
      kind: "texts",
      name: "options",
      label: "Choices",
      one: "choice",
      least: 1,
      most: 50,
      isRequired: true,
      when: ({ type }) => type === "select",
    },
    { kind: "choice", name: "autocomplete", label: "What browsers may fill in", options: FILLS },
    {
      kind: "text",
      name: "name",
      label: "Name in what is sent",
      isRequired: true,
      hint: "Follows the label. Letters A to Z, digits, hyphens.",
    },
  ],
};

/** Return a name for a field of a form: "Your e-mail" is "your-e-mail". */
export function fieldName(label: string): string {
  const plain = label.replaceAll("ß", "ss").normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 60)
    .replace(/-$/, "");
}

function settledField(before: Value, after: Value): Value {
  const settled = { ...after };
  const follows = !before.name || before.name === fieldName(String(before.label ?? ""));
  if (follows && before.label !== after.label) settled.name = fieldName(String(after.label ?? ""));
  if (after.type === "select") settled.options ??= [""];
  else delete settled.options;
  return settled;
}

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

/** Languages that the few words of the renderer are written in; any other tag may stand in the JSON. */
export const LANGUAGES: readonly Option[] = [
  { value: "da", label: "Danish" },
  { value: "nl", label: "Dutch" },
  { value: "en", label: "English" },
  { value: "fr", label: "French" },
  { value: "de", label: "German" },
  { value: "it", label: "Italian" },
  { value: "pl", label: "Polish" },
  { value: "pt", label: "Portuguese" },
  { value: "es", label: "Spanish" },
  { value: "sv", label: "Swedish" },
];
