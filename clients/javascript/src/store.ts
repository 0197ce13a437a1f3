// The values of one provider: the server's while React hydrates and until the snippet has decided, then the snippet's.

import { createCache, valuesOf, type Bootstrap, type Values } from './bootstrap.js';
import { decided, subscribe } from './decisions.js';
import type { Svc, SvcAssignment } from './svc.js';

export interface Store {
  /** Values on the server and during hydration; they never change, because parts of a page may hydrate much later. */
  readonly initial: Values;
  readonly current: Values;
  readonly hasDecided: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
  /** Replace the bootstrap, as a new page of a single-page shop brings its own. */
  adopt(bootstrap: Bootstrap): void;
}

/** Identity of the page, as the snippet has it: the address without an anchor, but with a hash route. */
const addressHere = (): string =>
  typeof location === 'undefined' ? '' : location.href.replace(/#(?![/!]).*/s, '');

/** Whether the snippet came after the limit of its tag: then it leaves the page at this address as it was sent. */
const isLate = (address: string): boolean =>
  address === addressHere() && document.getElementById('svc-snippet')?.dataset['late'] !== undefined;

export const createStore = (bootstrap: Bootstrap): Store => {
  const cached = createCache();
  const initial = valuesOf(bootstrap, cached);
  const address = addressHere();
  let sent = { bootstrap, values: initial };
  const own = new Set<() => void>();

  const shown = (svc: Svc, id: string): SvcAssignment | undefined => {
    const assignment = svc.assignments().find((each) => each.experimentId === id);
    return assignment && cached(assignment);
  };

  const current: Values = {
    experiment(id) {
      const svc = decided();
      const assignment = svc && shown(svc, id);
      return assignment || (svc && !isLate(address)) ? assignment : sent.values.experiment(id);
    },
    flag(key) {
      const svc = decided();
      return svc ? svc.flag(key) : sent.values.flag(key);
    },
    personalization(key) {
      const svc = decided();
      const value = svc?.personalization(key);
      return value !== undefined || (svc && !isLate(address)) ? value : sent.values.personalization(key);
    },
  };

  return {
    initial,
    current,
    hasDecided: () => decided() !== undefined,
    subscribe(listener) {
      own.add(listener);
      const stop = subscribe(listener);
      return () => {
        own.delete(listener);
        stop();
      };
    },
    adopt(next) {
      if (next === sent.bootstrap) return;
      sent = { bootstrap: next, values: valuesOf(next, cached) };
      for (const listener of [...own]) listener();
    },
  };
};
