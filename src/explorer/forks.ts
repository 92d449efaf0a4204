import { databaseError } from '../platform/db/sqlstate.ts';
import { PlainError } from '../platform/process/errors.ts';
import { isStep, sessionOf } from './choice.ts';
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
  /** The choices that are asleep after this choice (see `Commute`). */
  asleep: readonly string[];
  /** The events of the previous step. These events must be the same in each repetition. */
  trace: string;
}

/**
 * Whether two choices lead to the same state in both orders. The schedules that begin with the first
 * choice are known. So after the second choice, the first choice sleeps. It wakes when a choice
 * comes that does not commute with it. These are the sleep sets of Godefroid (1996).
 */
export type Commute = (execution: Execution, one: string, other: string) => boolean;

/** One schedule on its way through the forks: first the repeated forks, then the new forks. */
export class Path {
  readonly #forks: Fork[] = [];
  /** The choices at the new forks that this schedule does not make. */
  readonly untried: Fork[] = [];
  /**
   * Whether the schedule differs from another schedule only in the order of choices that commute.
   * Such a schedule is still played to its end, because a program left in its middle would cost new
   * connections.
   */
  isRedundant = false;
  readonly #commute: Commute;
  /** The number of forks that an earlier schedule has found. */
  readonly #repeated: number;

  /** The path goes through `last`, and then on to the usual choices. */
  constructor(last: Fork | undefined, commute: Commute) {
    this.#commute = commute;
    for (let fork = last; fork; fork = fork.before) this.#forks.push(fork);
    this.#forks.reverse();
    this.#repeated = this.#forks.length;
  }

  /** Forgets what happened after `last`, so that the schedule can be played once more. */
  restart() {
    this.#forks.splice(this.#repeated);
    this.untried.splice(0);
    this.isRedundant = false;
  }

  /**
   * Returns the next choice. At a known fork, returns the remembered choice. At a new fork, returns
   * the usual choice. Undefined if there is no choice.
   */
  next(execution: Execution): string | undefined {
    const choices = execution.choices();
    if (choices.length === 0) return undefined;
    const trace = traceOf(execution);
    const fork = this.#forks[execution.entries.length];
    if (fork === undefined) return this.#add(choices, trace, execution);
    if (fork.trace !== trace || fork.choices.join() !== choices.join())
      throw new Divergence(
        (
          `The schedule ${execution.entries.map(({ choice }) => choice)} ran differently when it was ` +
          `played again. Before: ${fork.trace}, then ${fork.choices}. Now: ${trace}, then ${choices}.`
        ).replace(/\s+/g, ' '),
      );
    return fork.chosen;
  }

  #add(choices: string[], trace: string, execution: Execution): string | undefined {
    const before = this.#forks.at(-1);
    const asleep = before?.asleep ?? [];
    const awake = choices.filter((choice) => !asleep.includes(choice));
    this.isRedundant ||= awake.length === 0;
    if (this.isRedundant) return choices[0];
    const usual = usualOf(awake, this.#forks);
    const earlier = [...asleep];
    for (const chosen of [usual, ...awake.filter((choice) => choice !== usual)]) {
      const sleeps = earlier.filter((choice) => this.#commute(execution, choice, chosen));
      const fork = { before, choices, chosen, asleep: sleeps, trace };
      (chosen === usual ? this.#forks : this.untried).push(fork);
      earlier.push(chosen);
    }
    return usual;
  }
}

/**
 * Goes through all schedules, each once. Schedules that sleeping choices leave out are not played.
 *
 * The usual choice lets the session of the last step go on. Each new schedule has one more unusual
 * choice than the schedule that found it. So schedules with fewer unusual choices come first, and
 * the first schedules already show most faults. We do not change the end of a schedule first,
 * because such a search would need thousands of schedules before it changed the beginning.
 */
export class Forks {
  /** The last forks of the schedules that have not begun. The first schedule has no fork yet. */
  readonly #untried: (Fork | undefined)[] = [undefined];
  readonly #commute: Commute;

  /** By default, no two choices commute. Then no schedule is left out. */
  constructor(commute: Commute = () => false) {
    this.#commute = commute;
  }

  /** Returns the path of the next schedule. Undefined if no further schedule is known. */
  take(): Path | undefined {
    return this.#untried.length > 0 ? new Path(this.#untried.shift(), this.#commute) : undefined;
  }

  /**
   * Adds the schedules that a played schedule has found. If the paths are added in the order in
   * which they were taken, the order of all schedules is always the same.
   */
  add({ untried }: Path) {
    this.#untried.push(...untried);
  }

  get isEmpty(): boolean {
    return this.#untried.length === 0;
  }
}

/**
 * Returns the usual choice: the session of the last step goes on. If this session cannot go on, the
 * first choice is the usual choice.
 */
function usualOf(choices: string[], path: Fork[]): string {
  const last = path.findLast(({ chosen }) => isStep(chosen))?.chosen ?? '';
  const same = (choice: string) => isStep(choice) && sessionOf(choice) === sessionOf(last);
  return choices.find(same) ?? (choices[0] as string);
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
