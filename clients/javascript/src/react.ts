'use client';

// React: a provider for what the server has decided, and hooks for what this visitor gets.

import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import type { Bootstrap } from './bootstrap.js';
import { createStore, type Store } from './store.js';
import type { SvcAssignment, SvcJson } from './svc.js';

export type { Bootstrap } from './bootstrap.js';
export type { SvcAssignment, SvcJson } from './svc.js';

const NOTHING: Bootstrap = {};

/**
 * The store never changes, so decisions render only the components that use them. A context value that changed would
 * make React give up markup of Suspense boundaries that are not hydrated yet.
 */
const Context = createContext<Store>(createStore(NOTHING));

/**
 * Provide what the server has decided. Pages that are not rendered on a server need no provider.
 *
 * `bootstrap` is what `assign` of `@abtest/storefront/server` returned for this page. It is rendered on the server and
 * during hydration, then until the snippet has decided, and for good where the snippet is absent.
 */
export const StorefrontProvider = (props: {
  readonly bootstrap?: Bootstrap | undefined;
  readonly children?: ReactNode;
}): ReactElement => {
  const { bootstrap = NOTHING, children } = props;
  const [store] = useState(() => createStore(bootstrap));
  useEffect(() => store.adopt(bootstrap), [store, bootstrap]);
  return createElement(Context.Provider, { value: store }, children);
};

/**
 * Return the flag's value for this visitor; the fallback for unknown flags, and before the snippet's decision if the
 * bootstrap has no value.
 */
export function useFlag(key: string, fallback: boolean): boolean;
export function useFlag(key: string, fallback: number): number;
export function useFlag(key: string, fallback: string): string;
export function useFlag<Value extends SvcJson>(key: string, fallback: Value): Value;
export function useFlag(key: string, fallback: SvcJson): SvcJson {
  const { subscribe, current, initial } = useContext(Context);
  const value = useSyncExternalStore(
    subscribe,
    () => current.flag(key),
    () => initial.flag(key),
  );
  return value === undefined ? fallback : value;
}

/**
 * Return the variation of an experiment that this visitor sees on this page; undefined where the experiment is not
 * active: outside of its targeting and traffic, when it is paused or completed, and before the snippet's decision if
 * the bootstrap has no variation. Show the original then.
 */
export const useExperiment = (experimentId: string): SvcAssignment | undefined => {
  const { subscribe, current, initial } = useContext(Context);
  return useSyncExternalStore(
    subscribe,
    () => current.experiment(experimentId),
    () => initial.experiment(experimentId),
  );
};

/** Return the value of the experience that this visitor sees; undefined where none is shown. */
export const usePersonalization = (key: string): SvcJson | undefined => {
  const { subscribe, current, initial } = useContext(Context);
  return useSyncExternalStore(
    subscribe,
    () => current.personalization(key),
    () => initial.personalization(key),
  );
};

/** Return whether the snippet has decided: false on servers, during hydration, before consent, and for bots. */
export const useDecided = (): boolean => {
  const { subscribe, hasDecided } = useContext(Context);
  return useSyncExternalStore(subscribe, hasDecided, () => false);
};
