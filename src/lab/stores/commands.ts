import { reasonOf, type Store, type StoreConnection, StoreError } from './store.ts';

/**
 * The maximum time for an answer. A store usually answers in a millisecond. A store that takes
 * longer than this time is lost.
 */
export const ANSWER_MS = 5_000;

/** How far the lab moves time: two days, as in PostgreSQL. See `explorer/time.ts`. */
export const PASSES_MS = 2 * 24 * 3_600_000;

/** Runs the commands of one trial. If the store is lost, the counts of the trial are worthless. */
export class Commands<C extends StoreConnection> {
  readonly #store: Store<C>;
  readonly #isAnswer: (error: unknown) => boolean;
  readonly #underWay = new Set<Promise<unknown>>();
  /**
   * A trial keeps its first connection, because a store that was started again lacks the trial's
   * keys.
   */
  #connection: Promise<C> | undefined;
  #lost: StoreError | undefined;

  /**
   * `isAnswer` returns true for an error that the store itself has sent. All other errors mean that
   * the store is lost.
   */
  constructor(store: Store<C>, isAnswer: (error: unknown) => boolean) {
    this.#store = store;
    this.#isAnswer = isAnswer;
  }

  async run<T>(command: (connection: C) => Promise<T>): Promise<T> {
    this.#connection ??= this.#store.open();
    const sent = this.#connection.then(command);
    this.#underWay.add(sent);
    try {
      return await sent;
    } catch (error) {
      if (this.#isAnswer(error)) throw error;
      this.#lost ??= lost(this.#store.title, error);
      throw this.#lost;
    } finally {
      this.#underWay.delete(sent);
    }
  }

  /**
   * Waits for commands that are still open, because a process of the schedule died after it sent
   * them. The store runs these commands too. Throws a `StoreError` if the store was lost.
   */
  async settle() {
    await Promise.allSettled(this.#underWay);
    this.assertIntact();
  }

  /**
   * Throws a `StoreError` if the store was lost. The strategy may have caught the earlier error.
   */
  assertIntact() {
    if (this.#lost) throw this.#lost;
  }
}

const lost = (title: string, error: unknown) =>
  error instanceof StoreError
    ? error
    : new StoreError(
        `${title} does not answer any more: ${reasonOf(error)}. Nothing was counted. Try again.`,
        { cause: error },
      );
