// What a server has decided, in the form that it sends to the browser, and how one value after another is read from it.

import type { SvcAssignment, SvcJson } from './svc.js';

/** What the page was rendered with. Only what hooks need: never the whole answer of the assignment route. */
export interface Bootstrap {
  /** Variations that are shown at the page's address. */
  readonly assignments?: readonly SvcAssignment[];
  /** Values by the flag's key. */
  readonly flags?: Readonly<Record<string, SvcJson>>;
  /** Values of the experiences that are shown, by the personalization's key. */
  readonly personalizations?: Readonly<Record<string, SvcJson>>;
}

/** Where hooks read values. The same value is the same object each time, because React compares references. */
export interface Values {
  experiment(id: string): SvcAssignment | undefined;
  flag(key: string): SvcJson | undefined;
  personalization(key: string): SvcJson | undefined;
}

const isSame = (one: SvcAssignment, other: SvcAssignment): boolean =>
  one.variationId === other.variationId && one.variationIndex === other.variationIndex && one.epoch === other.epoch;

/** Return a function that gives equal assignments of an experiment as the first of them. */
export const createCache = (): ((assignment: SvcAssignment) => SvcAssignment) => {
  const known = new Map<string, SvcAssignment>();
  return (assignment) => {
    const before = known.get(assignment.experimentId);
    if (before && isSame(before, assignment)) return before;
    known.set(assignment.experimentId, assignment);
    return assignment;
  };
};

/** Read a bootstrap. */
export const valuesOf = (bootstrap: Bootstrap, cached: (assignment: SvcAssignment) => SvcAssignment): Values => {
  const assignments = new Map((bootstrap.assignments ?? []).map((each) => [each.experimentId, cached(each)]));
  const flags = new Map(Object.entries(bootstrap.flags ?? {}));
  const personalizations = new Map(Object.entries(bootstrap.personalizations ?? {}));
  return {
    experiment: (id) => assignments.get(id),
    flag: (key) => flags.get(key),
    personalization: (key) => personalizations.get(key),
  };
};
