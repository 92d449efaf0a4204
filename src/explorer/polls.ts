import { inspect } from 'node:util';
import { databaseError } from '../platform/db/sqlstate.ts';
import type { Step, StepResult } from './step.ts';

/** A session polls after this many repeats of a step, if it made no new step in between. */
const MOST_REPEATS = 2;

/**
 * Recognizes sessions that poll: they make the same steps again and again, and get the same
 * results. Such a session waits until another session moves, because a real scheduler is fair. In an
 * unfair schedule, only the polling session would move, and the schedule would never end.
 */
export class Polls {
  /** Whether a step was repeated. From then on, the order of steps may decide who has to wait. */
  hasRepeats = false;
  /** Whether a session had to wait although it could move. */
  hasHeldBack = false;
  readonly #polling = new Set<number>();
  readonly #histories = new Map<number, History>();

  /** Notes a step of a session that has returned. */
  note(session: number, step: Step, result: StepResult) {
    const history = this.#histories.get(session) ?? new History();
    this.#histories.set(session, history);
    const text = JSON.stringify([step.text, step.params, outcomeOf(result)], bigintsAsText);
    const repeats = history.repeats(text);
    this.hasRepeats ||= repeats > 0;
    if (repeats >= MOST_REPEATS) this.#polling.add(session);
    else this.moved();
  }

  /** Notes that something has happened. So each polling session may look again. */
  moved() {
    this.#polling.clear();
  }

  /** Leaves out the sessions that poll, if another session can move. */
  inFairness<S>(ready: S[], numberOf: (seat: S) => number): S[] {
    const moving = ready.filter((seat) => !this.#polling.has(numberOf(seat)));
    if (moving.length === 0 || moving.length === ready.length) return ready;
    this.hasHeldBack = true;
    return moving;
  }
}

/** The steps of one session, with their results. */
class History {
  readonly #all = new Set<string>();
  readonly #repeated = new Map<string, number>();

  /** Adds a step. Returns how often the step was repeated since the latest new step. */
  repeats(step: string): number {
    if (!this.#all.has(step)) this.#repeated.clear();
    else this.#repeated.set(step, (this.#repeated.get(step) ?? 0) + 1);
    this.#all.add(step);
    return this.#repeated.get(step) ?? 0;
  }
}

function outcomeOf(result: StepResult): unknown {
  if ('rows' in result) return result.rows;
  if ('value' in result) return inspect(result.value);
  return databaseError(result.error)?.code ?? String(result.error);
}

const bigintsAsText = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;
