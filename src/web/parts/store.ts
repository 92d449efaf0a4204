import { useState } from 'hono/jsx/dom';
import { useEffect } from './use-effect.ts';

/** A value that outlives the components that show it. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  onChange(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const each of listeners) each();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The value of a store, and a new rendering after each change. Not the `useSyncExternalStore` of Hono
 * 4.13, which subscribes a frame later. A component that is removed before the frame subscribes all
 * the same, and a later change puts it into the page again. Seen as two boards on one page.
 */
export function useStore<T>(store: Store<T>): T {
  const value = store.get();
  const [, render] = useState({});
  useEffect(() => {
    const look = () => render({});
    // A change before this effect had nobody to hear it.
    if (!Object.is(store.get(), value)) look();
    return store.onChange(look);
  }, [store]);
  return value;
}
