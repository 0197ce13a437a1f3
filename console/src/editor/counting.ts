import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../api/client.ts";
import { type ChosenPage, type ChosenPages, useChosenPages } from "./chosen_pages.ts";
import type { Outcome, PageCount } from "./counts.ts";
import type { Part } from "./draft.ts";
import type { Counted } from "./messages.ts";
import { MOST_PAGES, pageAt } from "./other_pages.ts";
import type { EditedPage } from "./page.ts";

const MOST_SELECTORS = 200;
/** Selectors are typed, and changes come in quick succession. */
const SETTLED_MS = 300;
/** The page gives up on another one after 8 seconds; a page that does not answer has had its turn. */
const PATIENCE_MS = 12_000;

interface Reading {
  outcome: Outcome;
  to: string;
  status: number;
  counts: Map<string, number>;
}

export interface Counts extends ChosenPages {
  /** Whether no page answers: nothing is counted. */
  isSilent: boolean;
  /** Count a selector until the returned function is called. */
  include: (selector: string) => () => void;
  /** The count on the page that is shown, with what the draft has made of it. */
  here: (selector: string) => number | undefined;
  others: (selector: string) => PageCount[];
  /**
   * The count in what the server sends of the page that is shown, -1 where that cannot be read. Known only where another page
   * has none.
   */
  sent: (selector: string) => number | undefined;
  /** Show another page. */
  open: (url: string) => void;
  /** Read the other pages again. */
  refresh: () => void;
}

/** Count selectors here and on other pages. What was counted there is kept as long as the editor is open. */
export function useCounts(
  page: EditedPage,
  open: (url: string) => void,
  targeting: Schemas["ExperimentTargeting"] | null,
  parts: readonly Part[],
  part: Part,
): Counts {
  const { state, url, listen, send } = page;
  const [version, setVersion] = useState(0);
  const changed = useCallback(() => setVersion((before) => before + 1), []);
  const users = useRef(new Map<string, number>());
  const here = useRef(new Map<string, number>());
  const readings = useRef(new Map<string, Reading>());
  const order = useRef({ turn: 0, key: "", selectors: [] as string[], urls: new Set<string>(), isFresh: false });
  const patience = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const chosen = useChosenPages(page, targeting, parts, part, users.current.size > 0);
  const pages = chosen.pages ?? UNKNOWN;
  const urls = pages.flatMap((each) => each.url || []);
  const own = pageAt(url)?.href ?? "";

  const include = useCallback((selector: string) => {
    const add = (number: number) => {
      const uses = (users.current.get(selector) ?? 0) + number;
      if (uses) users.current.set(selector, uses);
      else users.current.delete(selector);
    };
    add(1);
    changed();
    return () => add(-1);
  }, []);

  const giveUp = () => {
    for (const each of order.current.urls) readings.current.set(each, { ...NOTHING, outcome: "late" });
    order.current.urls.clear();
    changed();
  };
  useEffect(() => () => clearTimeout(patience.current), []);

  useEffect(() => {
    here.current.clear();
    order.current.key = "";
    changed();
  }, [state, url]);

  useEffect(() => {
    const take = (message: Counted) => {
      const { turn, selectors, urls: open } = order.current;
      const isWhole = message.matches.length === selectors.length;
      if (message.turn !== turn) return;
      const counted = new Map(selectors.map((each, index) => [each, message.matches[index] ?? -1]));
      if (message.url === "") {
        if (isWhole) here.current = counted;
      } else if (open.delete(message.url)) {
        readings.current.set(message.url, readingOf(message, isWhole, counted, readings.current.get(message.url)));
      }
      changed();
    };
    return listen((message) => message.type === "counted" && take(message));
  }, [listen]);

  useEffect(() => {
    const selectors = [...users.current.keys()].slice(0, MOST_SELECTORS);
    if (state !== "ready" || !selectors.length) return;
    const isMissing = (address: string) => {
      const reading = readings.current.get(address);
      return !reading || (reading.outcome === "counted" && selectors.some((each) => !reading.counts.has(each)));
    };
    const isAbsent = urls.some((each) => selectors.some((one) => readings.current.get(each)?.counts.get(one) === 0));
    const needed = [...urls, ...(isAbsent ? [own] : [])].filter(isMissing);
    const key = JSON.stringify([selectors, needed]);
    const isKnown = !needed.length && selectors.every((each) => here.current.has(each));
    if (isKnown || key === order.current.key) return;
    const ask = () => {
      const { turn, isFresh } = order.current;
      order.current = { turn: turn + 1, key, selectors, urls: new Set(needed), isFresh: false };
      send("count", { turn: turn + 1, selectors, urls: needed, isFresh });
      clearTimeout(patience.current);
      patience.current = setTimeout(giveUp, PATIENCE_MS);
    };
    const timer = setTimeout(ask, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [version, state, urls.join(" "), own, send]);

  const countOf = (address: string, selector: string): Omit<PageCount, "url" | "isOutside"> => {
    const reading = readings.current.get(address);
    const count = reading?.counts.get(selector);
    const isWaiting = !reading || (reading.outcome === "counted" && count === undefined);
    return { ...(reading ?? NOTHING), outcome: isWaiting ? "waiting" : reading.outcome, count: count ?? -1 };
  };
  return {
    ...chosen,
    isSilent: state === "silent",
    open,
    include,
    here: (selector) => here.current.get(selector),
    others: (selector) => pages.map((each) => ({ ...each, ...countOf(each.url, selector) })),
    sent: (selector) => {
      const { outcome, count } = countOf(own, selector);
      return outcome === "waiting" ? undefined : count;
    },
    refresh: () => {
      readings.current.clear();
      Object.assign(order.current, { key: "", isFresh: true });
      changed();
    },
  };
}

/** In the place of pages that are not chosen yet. */
const UNKNOWN: readonly ChosenPage[] = Array.from({ length: MOST_PAGES }, () => ({ url: "", isOutside: false }));
const NOTHING = { outcome: "unread" as Outcome, to: "", status: 0, counts: new Map<string, number>() };

/** Return what is known of a page after a message about it. */
function readingOf(
  { outcome, to, status }: Counted,
  isWhole: boolean,
  counted: Map<string, number>,
  before: Reading | undefined,
): Reading {
  if (outcome !== "counted") return { outcome, to, status, counts: new Map() };
  if (!isWhole) return NOTHING;
  return { outcome, to, status, counts: new Map([...(before?.counts ?? []), ...counted]) };
}
