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
 * Returns the value of a store, and renders the component again after each change. We do not use
 * the `useSyncExternalStore` of Hono 4.13, because this hook subscribes one frame late, even if the
 * component is removed before this frame. The next change of the store then puts the removed
 * component into the page again. We saw two boards on one page.
 */
export function useStore<T>(store: Store<T>): T {
  const value = store.get();
  const [, render] = useState({});
  useEffect(() => {
    const look = () => render({});
    // The store may have changed before this effect ran.
    if (!Object.is(store.get(), value)) look();
    return store.onChange(look);
  }, [store]);
  return value;
}
