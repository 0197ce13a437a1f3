import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Doing } from "../api/loading.ts";
import type { Problem } from "../api/problems.ts";

/** What is typed over something that was read. */
export interface Edit<D extends object> {
  draft: D;
  set: (part: Partial<D>) => void;
  /** Return the handler of one field. */
  on: <K extends keyof D>(name: K) => (value: D[K]) => void;
  /** The fields that differ from what was read: what a merge patch sends. */
  changed: Partial<D>;
  isDirty: boolean;
  /** Fields that were typed here and changed elsewhere: saving replaces the change of the other. */
  contested: readonly (keyof D)[];
  reset: () => void;
  /** Grows when something newer was read: the key of controls that hold their own text, such as LinesField. */
  generation: number;
}

/** Edit what was read. When something newer is read, what was typed stays, and the other fields follow. */
export function useEdit<D extends object>(read: D): Edit<D> {
  const [state, setState] = useState(() => ({
    base: read,
    draft: read,
    contested: [] as readonly (keyof D)[],
    generation: 0,
  }));
  // What is read again is often the same, in another object.
  const content = JSON.stringify(read, sorted);
  const seen = useRef(content);
  // Before it is painted: what was typed and saved must not show its former value for a moment.
  useLayoutEffect(() => {
    if (seen.current === content) return;
    seen.current = content;
    setState(({ base, draft, generation }) => ({ ...merged(base, draft, read), generation: generation + 1 }));
  }, [content]);
  const { base, draft, contested, generation } = state;
  const changed = differing(base, draft);
  const set = (part: Partial<D>) => setState((before) => ({ ...before, draft: { ...before.draft, ...part } }));
  return {
    draft,
    set,
    on: (name) => (value) => set({ [name]: value } as unknown as Partial<D>),
    changed,
    isDirty: Object.keys(changed).length > 0,
    contested,
    reset: () =>
      setState((before) => ({
        base: before.base,
        draft: before.base,
        contested: [],
        generation: before.generation + 1,
      })),
    generation,
  };
}

/** Bring together what was typed over `base` with what is stored now. */
export function merged<D extends object>(base: D, draft: D, stored: D) {
  const typed = differing(base, draft);
  const theirs = differing(base, stored);
  const contested = (Object.keys(typed) as (keyof D)[]).filter(
    (name) => name in theirs && !isSame(typed[name], theirs[name]),
  );
  return { base: stored, draft: { ...stored, ...typed }, contested };
}

/** Return the fields of `draft` that differ from those of `base`. */
export function differing<D extends object>(base: D, draft: D): Partial<D> {
  const names = Object.keys(draft) as (keyof D)[];
  return Object.fromEntries(
    names.filter((name) => !isSame(base[name], draft[name])).map((name) => [name, draft[name]]),
  ) as Partial<D>;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

/** The order of names in an object means nothing, and the service has one of its own. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Return whether a change was refused because the thing was changed since it was read. */
export function isConflict(problem: Problem | null): boolean {
  return problem !== null && (problem.status === 412 || problem.code === "version_conflict");
}

/** Return the name of a field as people write it: "publish host", "client notes". */
function inWords(name: string): string {
  return name.replace(/_/g, " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

interface ConflictProps {
  doing: Doing;
  contested?: readonly PropertyKey[];
  /** Read the newest. */
  reload: () => Promise<void>;
  /** Names of fields as the screen shows them. */
  names?: Record<string, string>;
}

/** What to do where someone else was faster: load the newest, and keep what was typed. */
export function Conflict({ doing, contested = [], reload, names = {} }: ConflictProps) {
  if (isConflict(doing.problem)) {
    const load = async () => {
      await reload();
      doing.forget();
    };
    return (
      <div class="note warn">
        <p>This was changed since you opened it: by someone else, or in another window. Nothing of yours is lost.</p>
        <button type="button" onClick={() => void load()}>
          Load the newest and keep what I typed
        </button>
      </div>
    );
  }
  if (!contested.length) return null;
  return (
    <p class="note warn" role="status">
      The newest is loaded. Saving replaces what the other change has for:{" "}
      {contested.map((name) => names[String(name)] ?? inWords(String(name))).join(", ")}.
    </p>
  );
}
