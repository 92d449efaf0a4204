import { createStore, type Store } from '../../pages/parts/store.ts';

/**
 * Creates a store whose value stays in this browser. Other tabs see each change. In a browser that
 * stores nothing, the value lives as long as the page. `read` turns anything into a valid value,
 * because people can change the storage of their browser.
 */
export function keptStore<T>(name: string, read: (kept: unknown) => T): Store<T> {
  const store = createStore(read(readKept(name)));
  addEventListener('storage', ({ key }) => {
    if (key === name || key === null) store.set(read(readKept(name)));
  });
  return {
    ...store,
    set(value) {
      keep(name, value);
      store.set(value);
    },
  };
}

function readKept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

function keep(name: string, value: unknown) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // This browser stores nothing, or its storage is full.
  }
}

/** Returns the entries of an object whose values are allowed. */
export function entriesAmong<V extends string>(
  kept: unknown,
  isAllowed: (value: unknown) => value is V,
): Record<string, V> {
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, V] => isAllowed(entry[1])),
  );
}
