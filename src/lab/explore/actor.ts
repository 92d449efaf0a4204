import type { Rows } from '../../db/session.ts';
import type { Gatekeeper, Step } from './gate.ts';
import type { Ending } from './trial.ts';

/**
 * - `ready`: the session waits for the scheduler to start its next step.
 * - `running`: PostgreSQL runs a statement of the session.
 * - `waiting`: the session waits for a lock of another session.
 * - `asleep`: the session sleeps until time passes.
 * - `elsewhere`: the session runs its own code, or waits for something in memory.
 * - `ended`
 */
export type Status = 'ready' | 'running' | 'waiting' | 'asleep' | 'elsewhere' | 'ended';

export type StepResult = { rows: Rows } | { error: unknown };

/** One session of a schedule. `Execution` starts its steps and records their results. */
export class Actor implements Gatekeeper {
  /** The session's number in schedules, from 1. */
  readonly number: number;
  status: Status = 'ready';
  /** The step that waits at the gate, or that runs. Undefined if there is none. */
  step: Step | undefined;
  /** The sessions whose locks this session waits for. */
  waitsFor: number[] = [];
  /** The last result. Undefined once `Execution` has recorded the result. */
  returned: { step: Step; result: StepResult } | undefined;
  ending: Ending | undefined;
  readonly #onChange: () => void;
  readonly #program: () => Promise<unknown>;
  #pass: (() => void) | undefined;
  #isStarted = false;
  /** Whether the first step runs now. A statement of the first step does not wait at the gate. */
  #isStarting = false;

  constructor(number: number, program: () => Promise<unknown>, onChange: () => void) {
    this.number = number;
    this.#program = program;
    this.#onChange = onChange;
  }

  /** Lets the session make its next step. */
  go() {
    if (this.#isStarted) {
      this.#become('running');
      this.#pass?.();
    } else {
      this.#isStarted = true;
      this.#isStarting = true;
      this.#become('elsewhere');
      this.#start();
    }
  }

  #start() {
    const end = (ending: Ending) => {
      this.ending = ending;
      this.#become('ended');
    };
    // We call the program inside `then`, since a program may throw before it returns a promise.
    Promise.resolve()
      .then(this.#program)
      .then(
        (value) => end({ value }),
        (error: unknown) => end({ error }),
      );
  }

  arrive(step: Step): Promise<void> {
    this.step = step;
    if (this.#isStarting) {
      this.#isStarting = false;
      this.#become('running');
      return Promise.resolve();
    }
    this.#become('ready');
    return new Promise((resolve) => {
      this.#pass = resolve;
    });
  }

  /** The first step is over. From now on each statement waits at the gate. */
  started() {
    this.#isStarting = false;
  }

  leave(result: StepResult) {
    if (this.step) this.returned = { step: this.step, result };
    this.step = undefined;
    this.waitsFor = [];
    this.#become('elsewhere');
  }

  /** The session sleeps until the scheduler lets time pass. */
  readonly sleep = (): Promise<void> => {
    this.#become('asleep');
    return new Promise((resolve) => {
      this.#pass = resolve;
    });
  };

  wake() {
    this.#become('elsewhere');
    this.#pass?.();
  }

  waits() {
    if (this.status === 'running') this.#become('waiting');
  }

  /** The session waits for no other session any more, and runs on. */
  resume() {
    this.waitsFor = [];
    this.#become('running');
  }

  #become(status: Status) {
    this.status = status;
    this.#onChange();
  }
}
