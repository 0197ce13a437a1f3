/** What was done, to undo and redo without end. */
export interface History<T> {
  past: readonly T[];
  present: T;
  future: readonly T[];
}

export function begun<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** Add a step. With `joins`, it takes the place of the last one: a word is one step, not a step a letter. */
export function done<T>(history: History<T>, present: T, joins = false): History<T> {
  if (present === history.present) return history;
  const past = joins && history.past.length ? history.past : [...history.past, history.present];
  return { past, present, future: [] };
}

export function undone<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return { past: history.past.slice(0, -1), present: before, future: [history.present, ...history.future] };
}

export function redone<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future };
}
