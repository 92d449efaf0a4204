import type { Rows } from '../../db/session.ts';
import type { Gatekeeper, Step } from './gate.ts';
import type { Ending } from './trial.ts';

/**
 * - `ready`: the session stands before the gate.
 * - `running`: its statement is under way.
 * - `waiting`: the session waits for a lock of another session.
 * - `asleep`: the session sleeps until time passes.
 * - `elsewhere`: the session waits for something in memory.
 * - `ended`
 */
export type Status = 'ready' | 'running' | 'waiting' | 'asleep' | 'elsewhere' | 'ended';

export type StepResult = { rows: Rows } | { error: unknown };

/** One session of a schedule, as the driver sees it. */
export class Actor implements Gatekeeper {
  /** From 1, as in schedules. */
  readonly number: number;
  status: Status = 'ready';
  /** The step before the gate, or the step under way. Undefined before the first step. */
  step: Step | undefined;
  /** The sessions whose locks this session waits for. */
  waitsFor: number[] = [];
  /** The result that came since the driver last looked. */
  returned: { step: Step; result: StepResult } | undefined;
  ending: Ending | undefined;
  readonly #onChange: () => void;
  readonly #program: () => Promise<unknown>;
  #pass: (() => void) | undefined;
  #isStarted = false;
  /** The first statement belongs to the step that starts the session, and does not stop at the gate. */
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
    // Through `then`, since a program may throw before it returns a promise.
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

  /** The step that started the session is over. From now on each statement stops at the gate. */
  started() {
    this.#isStarting = false;
  }

  leave(result: StepResult) {
    if (this.step) this.returned = { step: this.step, result };
    this.step = undefined;
    this.waitsFor = [];
    this.#become('elsewhere');
  }

  /** The session sleeps until the driver makes time pass. */
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

  /** The lock was granted, and the session runs on. */
  resume() {
    this.waitsFor = [];
    this.#become('running');
  }

  #become(status: Status) {
    this.status = status;
    this.#onChange();
  }
}
