import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.ts";
import type { Part } from "./draft.ts";
import { candidates, MOST_PAGES, pageAt, rulesOf } from "./other_pages.ts";
import type { EditedPage } from "./page.ts";

/** Candidates that are tested at once, and of all: each is a request. */
const BATCH = 4;
const MOST_TESTED = 16;
const MOST_OPENED = 20;
/** Tests of addresses as long as the editor is open: a page could name new links without end. */
const MOST_TESTS = 200;
/** Rules change as they are typed. */
const SETTLED_MS = 300;

type Rules = Schemas["TargetedPage"][][];

export interface ChosenPage {
  url: string;
  /** Whether the experiment, or the part of the variation, is not shown there. */
  isOutside: boolean;
}

export interface ChosenPages {
  /** null until they are chosen. */
  pages: readonly ChosenPage[] | null;
  /** Addresses to choose from. */
  known: readonly string[];
  /** What a person has written for each; "" for the choice made here. */
  typed: readonly string[];
  /** What was chosen here in the place of each empty one. */
  picked: readonly string[];
  type: (place: number, text: string) => void;
}

/** Choose other pages on which the part of a variation is shown, once there is something to be counted. */
export function useChosenPages(
  page: EditedPage,
  targeting: Schemas["ExperimentTargeting"] | null,
  parts: readonly Part[],
  part: Part,
  isNeeded: boolean,
): ChosenPages {
  const { state, url, listen, send } = page;
  const [links, setLinks] = useState<readonly string[] | null>(null);
  const [typed, setTyped] = useState<readonly string[]>(() => Array.from({ length: MOST_PAGES }, () => ""));
  const [chosen, setChosen] = useState<{ pages: ChosenPage[] | null; picked: string[] }>({ pages: null, picked: [] });
  const opened = useRef<string[]>([]);
  const isAsked = useRef(false);
  const answers = useRef(new Map<string, Promise<boolean>>());

  useEffect(() => {
    if (url) opened.current = [...opened.current.filter((each) => each !== url), url].slice(-MOST_OPENED);
  }, [url]);
  useEffect(() => {
    return listen((message) => {
      if (message.type !== "linked" || !isAsked.current) return;
      isAsked.current = false;
      setLinks(message.urls);
    });
  }, [listen]);
  useEffect(() => {
    if (state !== "ready" || !isNeeded) return;
    isAsked.current = true;
    send("links");
  }, [state, url, isNeeded, send]);

  const rules = JSON.stringify(rulesOf(targeting, parts, part));
  const { picked } = chosen;
  const known = useMemo(() => candidates(url, opened.current, [...picked, ...(links ?? [])]), [url, links, picked]);
  useEffect(() => {
    if (state !== "ready" || !isNeeded || !links) return;
    let isCurrent = true;
    const isShown = (address: string) => fits(address, rules, answers.current);
    const choose = async () => {
      const own = typed.map((text) => (text ? (pageAt(text, url)?.href ?? "") : ""));
      // What was chosen before stays, so that counts of one page can be compared with those of the next.
      const order = new Set([...picked.filter((each) => known.includes(each)), ...known]);
      const next = await first(
        [...order].filter((each) => !own.includes(each)),
        own.filter((each) => each === "").length,
        isShown,
      );
      const rest = [...next];
      const all = own.map((each) => each || rest.shift()).filter((each) => each !== undefined);
      const pages = await Promise.all(all.map(async (each) => ({ url: each, isOutside: !(await isShown(each)) })));
      if (isCurrent) setChosen({ pages, picked: isEqual(next, picked) ? picked : next });
    };
    const timer = setTimeout(() => void choose(), SETTLED_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [state, url, isNeeded, links, known, rules, typed]);

  const type = (place: number, text: string) => setTyped((before) => before.with(place, text));
  return { ...chosen, known, typed, type };
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.join(" ") === other.join(" ");
}

/** Return the first addresses that pass, at most as many as are needed. */
async function first(
  addresses: readonly string[],
  needed: number,
  passes: (address: string) => Promise<boolean>,
): Promise<string[]> {
  const passed: string[] = [];
  for (let start = 0; start < Math.min(addresses.length, MOST_TESTED) && passed.length < needed; start += BATCH) {
    const batch = addresses.slice(start, start + BATCH);
    const verdicts = await Promise.all(batch.map(passes));
    passed.push(...batch.filter((_, index) => verdicts[index]));
  }
  return passed.slice(0, needed);
}

/** Return whether an address fulfils all lists of page rules. Rules that cannot be tested, as half a pattern, restrict nothing. */
function fits(url: string, rules: string, answers: Map<string, Promise<boolean>>): Promise<boolean> {
  const key = `${rules} ${url}`;
  const known = answers.get(key);
  if (known || answers.size >= MOST_TESTS) return known ?? Promise.resolve(true);
  const answer = test(url, JSON.parse(rules));
  answers.set(key, answer);
  return answer;
}

async function test(url: string, rules: Rules): Promise<boolean> {
  const matches = rules.map(async (list) => {
    const body = { url, rules: list };
    return data(api.POST("/pages/match", { body })).then(
      ({ matched }) => matched,
      () => true,
    );
  });
  return (await Promise.all(matches)).every(Boolean);
}
