import type { Listener } from './listener.ts';

/**
 * Work that waits or runs, and its listeners. The work ends when the last listener leaves. `News` has
 * the data of the events, by their names.
 */
export class SharedWork<News> {
  readonly #listeners = new Set<Listener>();
  readonly #leaving = new AbortController();
  /** The news that a later listener needs. */
  #told: ((listener: Listener) => void)[] = [];

  /** Aborted when the last listener has left. */
  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  join(listener: Listener) {
    this.#listeners.add(listener);
    for (const tell of this.#told) tell(listener);
    listener.left.addEventListener('abort', () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#leaving.abort();
    });
  }

  /** Tells all listeners, and those who join later. */
  tell<Name extends keyof News & string>(name: Name, data: News[Name]) {
    this.#tellAll((listener) => listener.tell(name, data));
  }

  /** Tells all listeners news that replace all earlier news. */
  tellLatest<Name extends keyof News & string>(name: Name, data: News[Name]) {
    this.#told = [];
    this.#tellAll((listener) => listener.tellLatest(name, data));
  }

  end() {
    for (const listener of this.#listeners) listener.end();
  }

  #tellAll(tell: (listener: Listener) => void) {
    this.#told.push(tell);
    for (const listener of this.#listeners) tell(listener);
  }
}
