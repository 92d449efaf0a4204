import { databaseError } from '../../db/sqlstate.ts';
import { PlainError } from '../../process/errors.ts';
import type { Execution } from './execution.ts';

/** A schedule went another way when it was played again. So no count holds. */
export class Divergence extends PlainError {
  override name = 'Divergence';
}

/** A point at which the scheduler had to choose. */
interface Fork {
  choices: string[];
  chosen: number;
  /** The events up to here. They have to happen again each time. */
  trace: string;
}

/** The way through all schedules: one choice after the other at each fork, the deepest fork first. */
export class Forks {
  readonly #forks: Fork[] = [];

  /** The next choice: the remembered one up to the last fork, and the first choice beyond that fork. */
  next(execution: Execution): string | undefined {
    const choices = execution.choices();
    if (choices.length === 0) return undefined;
    const trace = traceOf(execution);
    const fork = this.#forks[execution.entries.length];
    if (fork === undefined) {
      this.#forks.push({ choices, chosen: 0, trace });
      return choices[0];
    }
    if (fork.trace !== trace || fork.choices.join() !== choices.join())
      throw new Divergence(
        `Played again, the schedule ${execution.entries.map(({ choice }) => choice)} went another ` +
          `way: ${trace} and then ${choices}; before, ${fork.trace} and then ${fork.choices}.`,
      );
    return choices[fork.chosen];
  }

  /** Moves the deepest fork on to its next choice. False if no fork has a choice left. */
  advance(): boolean {
    for (let fork = this.#forks.pop(); fork !== undefined; fork = this.#forks.pop()) {
      if (++fork.chosen < fork.choices.length) {
        this.#forks.push(fork);
        return true;
      }
    }
    return false;
  }
}

/** The results of the last step, and the next statement of each session, in short. */
function traceOf({ entries, actors }: Execution): string {
  const acts = (entries.at(-1)?.acts ?? []).map(({ session, step, result, waitsFor }) => {
    if (!result) return `S${session} waits for S${waitsFor} with ${step.text}`;
    const outcome = 'rows' in result ? result.rows.length : databaseError(result.error)?.code;
    return `S${session} gets ${outcome} for ${step.text}`;
  });
  const stand = actors.map(
    ({ number, status, step }) => `S${number} ${status} ${step?.text ?? ''}`,
  );
  return [...acts, ...stand].join('; ');
}
