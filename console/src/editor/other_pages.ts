// On which other pages of the shop a selector is counted: pages of the experiment, near the one that is shown.

import type { Schemas } from "../api/client.ts";
import type { Part } from "./draft.ts";

type PageRule = Schemas["TargetedPage"];
type Targeting = Schemas["ExperimentTargeting"];

/** Other pages on which a selector is counted. */
export const MOST_PAGES = 2;

const words = (text: string) => new Set(text.split(" "));
/** Words of addresses that do something when they are followed, wherever they are. */
const ACTS = words(
  "add remove delete cart checkout logout mylogout logoff signout login signin subscribe unsubscribe wishlist warenkorb " +
    "abmelden",
);
const ACTS_IN_TWO = /(^|[^a-z])(log|sign)[^a-z]?(in|out|off|up)($|[^a-z])/;
/** Words that do so as a whole part of an address; within a part they may be of a product, as in `tote-bag`. */
const ACTS_ALONE = words(
  "basket bag kasse panier carrito carrello account konto compte order orders buy pay payment register confirm cancel " +
    "activate reset vote download export print compare share admin discount coupon voucher redeem claim switch currency " +
    "submitcurrency id_currency setlang clear empty undo undo_item",
);
const ACTING_FIELDS = words("action act do cmd op method task func token nonce sig quantity qty");
const VISITS = /^(utm_|gclid|fbclid|msclkid|ref$)/;
const FILE = /\.(?!(html?|php|aspx?|jsp)$)[a-z0-9]{2,5}$/;
const SIMPLE = /^[\w.~ -]{0,80}$/;
const MOST_FIELDS = 3;
/** Pages of every shop that experiments are seldom about. */
const ASIDE =
  /(^|[^a-z])(privacy|imprint|impressum|terms|legal|contact|about|shipping|returns|faq|help|jobs|agb|datenschutz)([^a-z]|$)/;

/** Return whether a request of an address may change something, or gets no page: it is requested only if a person names it. */
export function mayAct(url: URL): boolean {
  let path: string;
  try {
    path = decodeURIComponent(url.pathname).toLowerCase();
  } catch {
    return true;
  }
  const fields = [...url.searchParams].map((pair) => pair.map((each) => each.toLowerCase()) as [string, string]);
  const texts = [...path.split("/"), ...fields.flat()];
  return (
    FILE.test(path) ||
    fields.length > MOST_FIELDS ||
    fields.some(([name]) => ACTING_FIELDS.has(name) || VISITS.test(name)) ||
    fields.flat().some((text) => !SIMPLE.test(text)) ||
    texts.some(
      (text) =>
        ACTS_ALONE.has(text.replace(/\.\w+$/, "")) ||
        ACTS_IN_TWO.test(text) ||
        text.split(/[^\p{L}]+/u).some((word) => ACTS.has(word)),
    )
  );
}

/** Return a web address without its fragment; null for any other text. `base` completes what is not whole. */
export function pageAt(text: string, base?: string): URL | null {
  if (!URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  url.hash = "";
  return /^https?:$/.test(url.protocol) ? url : null;
}

function isSame(one: URL, other: URL): boolean {
  const [a, b] = [one, other].map(({ origin, pathname, search }) => origin + pathname.replace(/\/$/, "") + search);
  return a === b;
}

/** Return what addresses of the same kind of page have in common: `/products/*`, `/product?item`. */
function kindOf({ pathname, searchParams }: URL): string {
  const parts = pathname.split("/").filter(Boolean);
  const fields = [...searchParams.keys()].sort().join("&");
  if (parts.length < 2 && fields) return `/${parts.join()}?${fields}`;
  return parts.length ? `/${[...parts.slice(0, -1), "*"].join("/")}` : "/";
}

/**
 * Return addresses of other pages in the order in which they are tried: those that were opened, the last one first; then one
 * like the page that is shown, one of each other kind, the most frequent first, and so on.
 */
export function candidates(shown: string, opened: readonly string[], links: readonly string[]): string[] {
  const page = pageAt(shown);
  if (!page) return [];
  const known: URL[] = [page];
  const isNew = (url: URL | null): url is URL => {
    if (!url || url.origin !== page.origin || mayAct(url) || known.some((each) => isSame(each, url))) return false;
    known.push(url);
    return true;
  };
  const first = opened.toReversed().map((text) => pageAt(text));
  const before = first.filter(isNew);
  const kinds = new Map<string, URL[]>([[kindOf(page), []]]);
  for (const url of [...links, `${page.origin}/`].map((text) => pageAt(text)).filter(isNew)) {
    const kind = ASIDE.test(url.pathname.toLowerCase()) ? "aside" : kindOf(url);
    kinds.set(kind, [...(kinds.get(kind) ?? []), url]);
  }
  const aside = kinds.get("aside") ?? [];
  kinds.delete("aside");
  const [alike = [], ...others] = kinds.values();
  others.sort((one, other) => other.length - one.length);
  return [...before, ...inTurn([alike, ...others]), ...aside].map(({ href }) => href);
}

function inTurn(lists: URL[][]): URL[] {
  const most = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

/**
 * Return lists of page rules, of which each must hold where a part of the variation is shown: those of the experiment, and those
 * of URL blocks, whose first one that matches is shown. Empty lists where every page has it.
 */
export function rulesOf(targeting: Targeting | null, parts: readonly Part[], part: Part): PageRule[][] {
  const own = (targeting?.pageRules ?? []).filter(({ disabled }) => !disabled);
  const isAll = targeting?.pageMatchMode === "all";
  const excluded = own.filter(({ include }) => include === false);
  const ofExperiment = isAll
    ? [...own.filter(({ include }) => include !== false).map((rule) => [rule]), excluded]
    : [own];
  const blocks = parts.slice(0, part.block ? parts.indexOf(part) : undefined).flatMap((each) => ruleOf(each, false));
  return [...ofExperiment, [...blocks, ...ruleOf(part, true)]].filter(({ length }) => length > 0);
}

function ruleOf({ block }: Part, include: boolean): PageRule[] {
  if (!block) return [];
  const { id, urlRules } = block;
  return [{ id, include, includeRules: urlRules.filter(({ pattern }) => pattern !== ""), excludeRules: [] }];
}

/** Return the path and query of an address as people read them, in the middle cut to `most` characters. */
export function shortOf(address: string, most = 34): string {
  const url = pageAt(address);
  if (!url) return address.slice(0, most);
  const text = readable(url.pathname + url.search);
  const head = Math.floor(most / 3);
  return text.length > most ? `${text.slice(0, head)}…${text.slice(head + 1 - most)}` : text;
}

function readable(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
