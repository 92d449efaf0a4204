import { type Connection, reasonOf, type Store, StoreError } from './store.ts';

/** A store answers in a millisecond. A store that takes this long is lost. */
export const ANSWER_MS = 5_000;

/** Two days, as the lab's time in PostgreSQL. See `explore/time.ts`. */
export const PASSES_MS = 2 * 24 * 3_600_000;

/** Runs the commands of one trial. If the store is lost, no count of the trial means anything. */
export class Commands<C extends Connection> {
  readonly #store: Store<C>;
  readonly #isAnswer: (error: unknown) => boolean;
  readonly #underWay = new Set<Promise<unknown>>();
  /** A trial never changes to a store that was started again, since its keys are not there. */
  #connection: Promise<C> | undefined;
  #lost: StoreError | undefined;

  /** `isAnswer` knows the errors that the store itself sends. All other errors mean its loss. */
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
   * Waits for commands of processes that have died. The store runs these commands too. Throws a
   * `StoreError` if the store was lost.
   */
  async settle() {
    await Promise.allSettled(this.#underWay);
    this.assertIntact();
  }

  /** Throws a `StoreError` if the store was lost. A strategy may have caught the error. */
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
