import { databaseError } from '../platform/db/sqlstate.ts';
import { PlainError } from '../platform/process/errors.ts';
import { isStep, sessionOf } from './choices.ts';
import type { Execution } from './execution.ts';
import type { StepResult } from './step.ts';

/** Thrown if a schedule could not be repeated. Then no count of schedules is right. */
export class Divergence extends PlainError {
  override name = 'Divergence';
}

/** A point at which the scheduler had to choose, and its choice. */
interface Fork {
  /** The fork before. Undefined for the first fork of a schedule. */
  before: Fork | undefined;
  choices: string[];
  chosen: string;
  /** The number of unusual choices so far. */
  turns: number;
  /** The events of the previous step. These events must be the same in each repetition. */
  trace: string;
}

/**
 * Goes through all schedules, each once. The usual choice lets the session of the last step go on.
 * Schedules with fewer unusual choices come first, so the first schedules already show most faults.
 * We do not change the end of a schedule first, because such a search would need thousands of
 * schedules before it changed the beginning.
 */
export class Forks {
  /** The forks whose choice has not been played. The index is the number of turns. */
  readonly #untried: Fork[][] = [];
  /** The forks of the present schedule: first the repeated forks, then the new forks. */
  #path: Fork[] = [];

  /**
   * Returns the next choice. At a known fork, returns the remembered choice. At a new fork, returns
   * the usual choice. Undefined if there is no choice.
   */
  next(execution: Execution): string | undefined {
    const choices = execution.choices();
    if (choices.length === 0) return undefined;
    const trace = traceOf(execution);
    const fork = this.#path[execution.entries.length];
    if (fork === undefined) return this.#add(choices, trace);
    if (fork.trace !== trace || fork.choices.join() !== choices.join())
      throw new Divergence(
        (
          `The schedule ${execution.entries.map(({ choice }) => choice)} ran differently when it was ` +
          `played again. Before: ${fork.trace}, then ${fork.choices}. Now: ${trace}, then ${choices}.`
        ).replace(/\s+/g, ' '),
      );
    return fork.chosen;
  }

  /** Adds a new fork to the present schedule, and remembers its other choices for later. */
  #add(choices: string[], trace: string): string | undefined {
    const before = this.#path.at(-1);
    const usual = usualOf(choices, this.#path);
    for (const chosen of choices) {
      const turns = (before?.turns ?? 0) + Number(chosen !== usual);
      const fork = { before, choices, chosen, turns, trace };
      if (chosen === usual) this.#path.push(fork);
      else this.#withTurns(turns).push(fork);
    }
    return usual;
  }

  #withTurns(turns: number): Fork[] {
    const forks = this.#untried[turns] ?? [];
    this.#untried[turns] = forks;
    return forks;
  }

  /** Goes to the next schedule. Returns false if all schedules have been played. */
  advance(): boolean {
    const next = this.#untried.find((forks) => forks?.length > 0)?.shift();
    this.#path = [];
    for (let fork = next; fork; fork = fork.before) this.#path.push(fork);
    this.#path.reverse();
    return next !== undefined;
  }
}

/**
 * Returns the usual choice: the session of the last step goes on. If this session cannot go on, the
 * first choice is the usual choice.
 */
function usualOf(choices: string[], path: Fork[]): string | undefined {
  const last = path.findLast(({ chosen }) => isStep(chosen))?.chosen ?? '';
  const same = (choice: string) => isStep(choice) && sessionOf(choice) === sessionOf(last);
  return choices.find(same) ?? choices[0];
}

function outcomeOf(result: StepResult): unknown {
  if ('rows' in result) return result.rows.length;
  return 'value' in result ? 'its effect' : databaseError(result.error)?.code;
}

/** Returns the results of the last step and the next statement of each session, as a short text. */
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
