import { type Inputs, useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "./problems.ts";

/** What a screen shows of something that is read: nothing yet, its data, or why not. Both, where it is stale. */
export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  isLoading: boolean;
  /** Read again. What was read before stays until then. */
  reload: () => Promise<void>;
  /** Show this instead, after a change whose answer has it. */
  replace: (data: T) => void;
}

export interface LoadOptions {
  /** Seconds between two readings while the page is visible. */
  every?: number;
}

/** Read something when the screen opens and whenever `inputs` change. */
export function useLoaded<T>(read: () => Promise<T>, inputs: Inputs, options: LoadOptions = {}): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; isLoading: boolean }>(NOTHING);
  const newest = useRef(0);
  const latest = useRef(read);
  latest.current = read;

  const reload = useCallback(async () => {
    const turn = ++newest.current;
    setState((before) => ({ ...before, isLoading: true }));
    try {
      const value = await latest.current();
      if (turn === newest.current) setState({ data: value, problem: null, isLoading: false });
    } catch (thrown) {
      if (turn === newest.current) setState(({ data }) => ({ data, problem: asProblem(thrown), isLoading: false }));
    }
  }, []);
  const replace = useCallback((value: T) => {
    newest.current++;
    setState({ data: value, problem: null, isLoading: false });
  }, []);

  // Before the browser paints: what the page has begun may be there already.
  useLayoutEffect(() => {
    setState(NOTHING);
    void reload();
    return () => {
      newest.current++;
    };
  }, inputs);
  usePolling(reload, options.every);
  return { ...state, reload, replace };
}

const NOTHING = { data: null, problem: null, isLoading: true };

function usePolling(reload: () => Promise<void>, seconds: number | undefined): void {
  useEffect(() => {
    if (seconds === undefined) return;
    const whileVisible = () => {
      if (document.visibilityState === "visible") void reload();
    };
    const timer = setInterval(whileVisible, seconds * 1000);
    document.addEventListener("visibilitychange", whileVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", whileVisible);
    };
  }, [reload, seconds]);
}

/** Read something as `useLoaded`, and again every so many seconds by its ETag; `read` gets what was read before. */
export function useRenewed<T extends object>(
  read: (before: T | null) => Promise<T>,
  inputs: Inputs,
  seconds: number,
): Loaded<T> {
  const kept = useRef<{ inputs: string; value: T } | null>(null);
  const key = JSON.stringify(inputs);
  return useLoaded(
    async () => {
      const value = await read(kept.current?.inputs === key ? kept.current.value : null);
      kept.current = { inputs: key, value };
      return value;
    },
    inputs,
    { every: seconds },
  );
}

export interface Page<T> {
  data: T[];
  pagination: { has_more: boolean; next_cursor: string | null };
}

export interface Rows<T> extends Loaded<T[]> {
  hasMore: boolean;
  /** Read the next page. */
  more: () => Promise<void>;
}

/** Read a list page by page; `read` gets the cursor of the next page. */
export function useRows<T>(
  read: (cursor?: string) => Promise<Page<T>>,
  inputs: Inputs,
  options?: LoadOptions,
): Rows<T> {
  const pages = useRef<{ cursor: string | null; rows: T[] }>({ cursor: null, rows: [] });
  const first = useLoaded(
    async () => {
      // A reading again covers all pages that are shown: otherwise the list would shrink.
      const shown = pages.current.rows.length;
      let page = await read();
      const rows = [...page.data];
      while (page.pagination.next_cursor && rows.length < shown) {
        page = await read(page.pagination.next_cursor);
        rows.push(...page.data);
      }
      pages.current = { cursor: page.pagination.next_cursor, rows };
      return rows;
    },
    inputs,
    options,
  );
  useEffect(() => {
    pages.current = { cursor: null, rows: [] };
  }, inputs);
  const more = async () => {
    const { cursor, rows } = pages.current;
    if (!cursor) return;
    const page = await read(cursor);
    const all = [...rows, ...page.data];
    pages.current = { cursor: page.pagination.next_cursor, rows: all };
    first.replace(all);
  };
  return { ...first, hasMore: pages.current.cursor !== null, more };
}

/** A change that is on its way, and what came of it. */
export interface Doing {
  isBusy: boolean;
  problem: Problem | null;
  /** Run the change; resolves to undefined where it failed. */
  run: <T>(change: () => Promise<T>) => Promise<T | undefined>;
  forget: () => void;
}

/** Hold the state of one change: its button is busy, its problem is shown next to it. */
export function useDoing(): Doing {
  const [state, setState] = useState<{ isBusy: boolean; problem: Problem | null }>({ isBusy: false, problem: null });
  const busy = useRef(false);
  const run = useCallback(async <T>(change: () => Promise<T>): Promise<T | undefined> => {
    if (busy.current) return undefined;
    busy.current = true;
    setState({ isBusy: true, problem: null });
    try {
      const value = await change();
      setState({ isBusy: false, problem: null });
      return value;
    } catch (thrown) {
      setState({ isBusy: false, problem: asProblem(thrown) });
      return undefined;
    } finally {
      busy.current = false;
    }
  }, []);
  const forget = useCallback(() => setState({ isBusy: false, problem: null }), []);
  return { ...state, run, forget };
}
