import { answerInGroups } from './in-groups.ts';
import { isUnanswered, type Waiting } from './waiting.ts';

/**
 * How often we search for late claims. All claims share one timer. A timer for each claim would
 * cost more than deciding the claim in a batch.
 */
const LOOK_MS = 100;

/**
 * Gives up each claim that has waited too long for its transaction. `giveUp` ends the claim, and
 * returns the function that answers the claim. Sets no timer while no claim waits.
 */
export class Patience {
  readonly #waitMs: number;
  readonly #waiting: () => Waiting[];
  readonly #giveUp: (waiting: Waiting) => () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(waitMs: number, waiting: () => Waiting[], giveUp: (waiting: Waiting) => () => void) {
    this.#waitMs = waitMs;
    this.#waiting = waiting;
    this.#giveUp = giveUp;
  }

  /** Must be called whenever a claim begins to wait. */
  watch() {
    this.#timer ??= setTimeout(async () => {
      await this.#look();
      this.#timer = undefined;
      if (this.#waiting().some(isUnanswered)) this.watch();
    }, LOOK_MS);
  }

  async #look() {
    const cameBefore = performance.now() - this.#waitMs;
    const late = this.#waiting()
      .filter(isUnanswered)
      .filter(({ since }) => since < cameBefore);
    // All late claims end in this turn. A transaction may begin between two groups of answers, and
    // must not take a claim that is then told `busy`.
    await answerInGroups(late.map(this.#giveUp));
  }
}
