// Messages between the panel and the shop's page. The page is hostile: whatever it sends is read field by field.

import { OUTCOMES, type Outcome } from "./counts.ts";

export type Strength = "name" | "class" | "position";

export interface Suggestion {
  selector: string;
  strength: Strength;
}

/** The element that a person has chosen in the page. */
export interface ChosenElement {
  tag: string;
  path: string[];
  selectors: Suggestion[];
  isPlain: boolean;
  text: string;
  html: string;
  isLong: boolean;
  /** Selectors of its first and last child; empty where it has none. */
  first: string;
  last: string;
  attributes: Record<string, string>;
  styles: Record<string, string>;
}

export type PageMessage =
  | { type: "hello"; url: string }
  | { type: "ready" }
  | { type: "moved"; url: string }
  | { type: "left" }
  | { type: "navigated"; url: string; isNew: boolean }
  | { type: "blocked"; reason: string; blocked: string }
  | { type: "selected"; element: ChosenElement }
  | { type: "shown"; turn: number; matches: number[]; errors: string[] }
  | { type: "copied"; html: string }
  | { type: "linked"; urls: string[] }
  | Counted;

/** What selectors match, in the order of the request; `url` is "" for the page that is shown. */
export interface Counted {
  type: "counted";
  turn: number;
  url: string;
  outcome: Outcome;
  to: string;
  status: number;
  matches: number[];
}

const MAX_TEXT = 20_000;
/** Characters of an element that can be moved. */
export const MAX_COPY = 100_000;
const MAX_SHORT = 2048;
const MAX_ITEMS = 250;

/**
 * Read a message of the editor in the page, or of the preview around it; null for anything else. A page in a preview
 * learns the nonce when it is greeted; one in a window of its own has it from the start.
 */
export function readMessage(data: unknown, nonce: string, isProxied: boolean): PageMessage | null {
  if (!isRecord(data)) return null;
  if (data.source === "svc-preview") return isProxied ? readPreview(data) : null;
  if (data.source !== "svc-edit") return null;
  if (data.type === "hello" && isProxied) return { type: "hello", url: "" };
  // What is older than this opening of the editor, or from another page, does not know the nonce.
  if (data.nonce !== nonce) return null;
  return readEditor(data);
}

function readPreview(data: Record<string, unknown>): PageMessage | null {
  const url = text(data.url, MAX_SHORT);
  if (data.type === "blocked") {
    return { type: "blocked", reason: text(data.reason, 100), blocked: text(data.blocked, MAX_SHORT) };
  }
  const isNew = data.type === "hello";
  return isNew || data.type === "navigated" ? { type: "navigated", url, isNew } : null;
}

function readEditor(data: Record<string, unknown>): PageMessage | null {
  switch (data.type) {
    case "hello":
    case "moved":
      return { type: data.type, url: text(data.url, MAX_SHORT) };
    case "ready":
    case "left":
      return { type: data.type };
    case "selected": {
      const element = readElement(data.element);
      return element && { type: "selected", element };
    }
    case "shown":
      return {
        type: "shown",
        turn: number(data.turn),
        matches: list(data.matches).map(number),
        errors: list(data.errors).map((each) => text(each, 300)),
      };
    case "copied":
      return { type: "copied", html: text(data.html, MAX_COPY + 1) };
    case "counted":
      return readCounted(data);
    case "linked":
      return { type: "linked", urls: list(data.urls).map((each) => text(each, MAX_SHORT)) };
    default:
      return null;
  }
}

function readCounted(data: Record<string, unknown>): Counted {
  return {
    type: "counted",
    turn: number(data.turn),
    url: text(data.url, MAX_SHORT),
    outcome: OUTCOMES.find((each) => each === data.outcome) ?? "unread",
    to: text(data.to, MAX_SHORT),
    status: number(data.status),
    matches: list(data.matches).map(number),
  };
}

function readElement(value: unknown): ChosenElement | null {
  if (!isRecord(value)) return null;
  const selectors = list(value.selectors)
    .map(readSuggestion)
    .filter((each) => each !== null);
  if (!selectors.length) return null;
  return {
    tag: text(value.tag, 100),
    path: list(value.path).map((each) => text(each, 100)),
    selectors,
    isPlain: value.isPlain === true,
    text: text(value.text, MAX_TEXT),
    html: text(value.html, MAX_TEXT),
    isLong: value.isLong === true,
    first: text(value.first, MAX_SHORT),
    last: text(value.last, MAX_SHORT),
    attributes: texts(value.attributes),
    styles: texts(value.styles),
  };
}

function readSuggestion(value: unknown): Suggestion | null {
  if (!isRecord(value)) return null;
  const selector = text(value.selector, MAX_SHORT);
  const strength = value.strength === "name" || value.strength === "class" ? value.strength : "position";
  return selector ? { selector, strength } : null;
}

function texts(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, each]) => [name.slice(0, 200), text(each, MAX_TEXT)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [];
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : -1;
}

function text(value: unknown, most: number): string {
  return typeof value === "string" ? value.slice(0, most) : "";
}
