import { useState } from "preact/hooks";

export interface Draft<T extends object> {
  /** What was read, with what was typed since. */
  value: T;
  /** Only what was typed and differs: the body of a PATCH. */
  changes: Partial<T>;
  isDirty: boolean;
  /** Return the handler of one field. */
  set: <K extends keyof T>(name: K) => (value: T[K]) => void;
  reset: () => void;
}

/** Hold what is typed over something that was read. A newer reading changes only the fields that nobody touched. */
export function useDraft<T extends object>(read: T): Draft<T> {
  const [edits, setEdits] = useState<Partial<T>>({});
  const changes = changesOf(read, edits);
  return {
    value: { ...read, ...edits },
    changes,
    isDirty: Object.keys(changes).length > 0,
    set: (name) => (value) => setEdits((before) => ({ ...before, [name]: value })),
    reset: () => setEdits({}),
  };
}

/** Return the edits that differ from what was read. */
export function changesOf<T extends object>(read: T, edits: Partial<T>): Partial<T> {
  const names = Object.keys(edits) as (keyof T)[];
  const differing = names.filter((name) => JSON.stringify(edits[name]) !== JSON.stringify(read[name]));
  return Object.fromEntries(differing.map((name) => [name, edits[name]])) as Partial<T>;
}
