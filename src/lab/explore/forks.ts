import { databaseError } from '../../db/sqlstate.ts';
import { PlainError } from '../../process/errors.ts';
import type { Execution } from './execution.ts';
import type { StepResult } from './gate.ts';

/** A schedule could not be repeated, so no count of schedules is right. */
export class Divergence extends PlainError {
  override name = 'Divergence';
}

/** A point at which the scheduler had to choose. */
interface Fork {
  choices: string[];
  chosen: number;
  /** The events of the step before. They must be the same each time. */
  trace: string;
}

/** Leads through all schedules. The deepest fork goes through its choices first. */
export class Forks {
  readonly #forks: Fork[] = [];

  /**
   * Returns the next choice: at a known fork the remembered choice, at a new fork the first choice.
   * Undefined if there is no choice.
   */
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
        `The schedule ${execution.entries.map(({ choice }) => choice)} ran differently when it was ` +
          `played again. Before: ${fork.trace}, then ${fork.choices}. Now: ${trace}, then ${choices}.`,
      );
    return choices[fork.chosen];
  }

  /**
   * Moves the deepest fork with a choice left to its next choice. False if there is no such fork.
   */
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

function outcomeOf(result: StepResult): unknown {
  if ('rows' in result) return result.rows.length;
  return 'value' in result ? 'its effect' : databaseError(result.error)?.code;
}

/** The results of the last step, and the next statement of each session, in short. */
function traceOf({ entries, actors }: Execution): string {
  const acts = (entries.at(-1)?.acts ?? []).map(({ session, step, result, waitsFor }) => {
    if (!result) return `S${session} waits for S${waitsFor} with ${step.text}`;
    const outcome = outcomeOf(result);
    return `S${session} gets ${outcome} for ${step.text}`;
  });
  const stand = actors.map(
    ({ number, status, step }) => `S${number} ${status} ${step?.text ?? ''}`,
  );
  return [...acts, ...stand].join('; ');
}
