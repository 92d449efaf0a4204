import { type Gatekeeper, Unplayable } from './gatekeeper.ts';
import { readableStatement } from './readable.ts';
import type { Fate, Step, StepResult } from './step.ts';
import { Timers, withTimers } from './timers.ts';
import { AnswerLost, type Effect, type Ending } from './trial.ts';

/**
 * - `ready`: the session waits for the scheduler to start its next step.
 * - `running`: PostgreSQL runs a statement of the session.
 * - `waiting`: the session waits for a lock of another session.
 * - `asleep`: the session sleeps until time passes.
 * - `elsewhere`: the session runs its own code, or waits for something in memory.
 * - `ended`
 */
export type Status = 'ready' | 'running' | 'waiting' | 'asleep' | 'elsewhere' | 'ended';

/** One session of a schedule. `Execution` starts its steps and records their results. */
export class Actor implements Gatekeeper {
  /** The session's number in schedules, from 1. */
  readonly number: number;
  status: Status = 'ready';
  /**
   * The step that runs, or that waits at the gate (see `Gate`) until the scheduler starts the step.
   * Undefined if there is no such step.
   */
  step: Step | undefined;
  /** The sessions whose locks this session waits for. */
  waitsFor: number[] = [];
  /** The results that `Execution` has not recorded yet. */
  returned: { step: Step; result: StepResult }[] = [];
  ending: Ending | undefined;
  /** The error if the program does something that no schedule can show. Otherwise undefined. */
  refusal: Unplayable | undefined;
  /** The timers that the program has set. */
  readonly timers = new Timers();
  readonly #onChange: () => void;
  readonly #program: () => Promise<unknown>;
  #pass: ((fate: Fate) => void) | undefined;
  #isStarted = false;
  #isDead = false;
  /** What happens to the first step of the session. */
  #firstFate: Fate = 'runs';
  /**
   * Whether the first choice of this session has just started the program. Then the first step of
   * the program does not wait at the gate.
   */
  #isStarting = false;

  constructor(number: number, program: () => Promise<unknown>, onChange: () => void) {
    this.number = number;
    this.#program = program;
    this.#onChange = onChange;
  }

  /** Whether the session has begun its program. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  get hasEnded(): boolean {
    return this.ending !== undefined;
  }

  /** Whether the process of the session has died. A statement of the session may still wait. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Lets the session make its next step. */
  go(fate: Fate = 'runs') {
    if (this.#isStarted) {
      this.#become('running');
      this.#pass?.(fate);
    } else {
      this.#firstFate = fate;
      this.#isStarted = true;
      this.#isStarting = true;
      this.#become('elsewhere');
      this.#start();
    }
  }

  #start() {
    const end = (ending: Ending) => {
      if (this.#isDead) return;
      if (this.step) this.#refuseLate(this.step);
      this.ending = ending;
      this.#become('ended');
    };
    // We call the program inside `then`, since a program may throw before it returns a promise.
    Promise.resolve()
      .then(() => withTimers(this.timers, this.#program))
      .then(
        (value) => end({ value }),
        (error: unknown) => end({ error }),
      );
  }

  arrive(step: Step): Promise<Fate> {
    if (this.#isDead) return new Promise(() => undefined);
    if (this.ending) {
      this.#refuseLate(step);
      return new Promise(() => undefined);
    }
    this.step = step;
    if (this.#isStarting) {
      this.#isStarting = false;
      this.#become('running');
      return Promise.resolve(this.#firstFate);
    }
    this.#become('ready');
    return new Promise((resolve) => {
      this.#pass = resolve;
    });
  }

  /** Does something outside the database, as a step. */
  readonly effect: Effect = async (does, act) => {
    const effect = typeof does === 'string' ? { text: does } : does;
    const { text } = effect;
    const fate = await this.arrive({ text, params: [], isolation: 'read committed', effect });
    const isLost = fate === 'loses-answer';
    try {
      const value = await act();
      this.leave(isLost ? { value, isLost } : { value });
      if (!isLost) return value;
    } catch (error) {
      this.leave({ error });
      throw error;
    }
    throw new AnswerLost('the answer was lost');
  };

  refuse(error: Unplayable) {
    this.refusal ??= error;
    this.#onChange();
  }

  /**
   * Refuses a step that the program did not wait for, because no schedule can tell when such a step
   * comes.
   */
  #refuseLate(step: Step) {
    const statement = readableStatement(step);
    this.refuse(new Unplayable(`nobody awaited ${statement}: the session ended before.`));
  }

  /** Called when the process dies. From now on the program makes no step. */
  die() {
    this.#isDead = true;
    if (this.status === 'ready') this.step = undefined;
  }

  dead() {
    this.ending ??= { died: true };
    this.#become('ended');
  }

  /** Called when no session moves after a choice. From now on each step waits at the gate. */
  started() {
    this.#isStarting = false;
  }

  leave(result: StepResult, step = this.step) {
    if (step) this.returned.push({ step, result });
    this.step = undefined;
    this.waitsFor = [];
    // After a death, the session still runs until the gate has ended the transaction.
    this.#become(this.#isDead ? 'running' : 'elsewhere');
  }

  waitsInLine() {
    this.#onChange();
  }

  leaveBeside(result: StepResult, step: Step) {
    this.returned.push({ step, result });
    this.#onChange();
  }

  /** Lets the session sleep until the scheduler lets time pass. */
  readonly sleep = (): Promise<void> => {
    this.#become('asleep');
    return new Promise((resolve) => {
      this.#pass = () => resolve();
    });
  };

  wake() {
    this.#become('elsewhere');
    this.#pass?.('runs');
  }

  waits() {
    if (this.status === 'running') this.#become('waiting');
  }

  /** Called when the session no longer waits for another session. Its statement still runs. */
  resume() {
    this.waitsFor = [];
    this.#become('running');
  }

  #become(status: Status) {
    this.status = status;
    this.#onChange();
  }
}
