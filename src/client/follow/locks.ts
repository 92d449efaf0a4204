/**
 * The part of the Web Locks API that the client uses. Not every program has the types of this API.
 */
export interface Locks {
  request<T>(
    name: string,
    options: { signal?: AbortSignal; ifAvailable?: boolean; steal?: boolean },
    work: (lock: unknown) => Promise<T>,
  ): Promise<T>;
}

/** The parts of a browser that the client reads. */
interface Browser {
  document?: object;
  /** The text `null` if the page has no origin, such as a page in a sandbox. */
  origin?: string;
  navigator?: { locks?: Locks };
}

/**
 * Returns the locks that all tabs of a browser share, or undefined outside a browser. A page
 * without an origin has no locks. A page over plain http from another machine has no locks either.
 * Without locks, each tab has its own stream.
 */
export function locksOfTabs(): Locks | undefined {
  const { document, origin, navigator } = globalThis as Browser;
  return document && origin !== 'null' ? navigator?.locks : undefined;
}
