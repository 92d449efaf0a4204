import { useSyncExternalStore } from 'hono/jsx/dom';

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

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.onChange, store.get);
