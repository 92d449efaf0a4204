import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';

interface Timer {
  dueAt: number;
  run: () => void;
}

/**
 * The timers of one session. A timer runs as soon as the session does nothing else, however long
 * the pause is. So a pause belongs to the step before the pause. With real timers, the load of the
 * machine would decide which steps of other sessions come before the end of a pause.
 */
export class Timers {
  #timers: Timer[] = [];
  #now = 0;

  set(run: () => void, milliseconds: number): Timer {
    // Like Node.js, we use 1 ms if the time is too short or is not a number.
    const timer = { dueAt: this.#now + (milliseconds >= 1 ? milliseconds : 1), run };
    this.#timers.push(timer);
    return timer;
  }

  clear(timer: Timer) {
    this.#timers = this.#timers.filter((each) => each !== timer);
  }

  /** Runs the timer that is due first. Returns false if there is no timer. */
  fire(): boolean {
    const [first] = this.#timers.sort((a, b) => a.dueAt - b.dueAt);
    if (!first) return false;
    this.clear(first);
    this.#now = first.dueAt;
    try {
      timersOf.run(this, first.run);
    } catch (error) {
      // As in Node.js, no caller can catch the error of a timer.
      process.nextTick(() => {
        throw error;
      });
    }
    return true;
  }
}

const timersOf = new AsyncLocalStorage<Timers>();

/**
 * Runs the program of a session. While the program runs, the functions of `ownTimers` set timers in
 * `timers`.
 */
export const withTimers = <T>(timers: Timers, program: () => T): T => timersOf.run(timers, program);

/** Stands for the object that Node.js returns for a timer. */
class Handle {
  readonly clear: () => void;

  constructor(clear: () => void) {
    this.clear = clear;
  }

  ref = () => this;
  unref = () => this;
  hasRef = () => true;
  close = () => this.clear();
}

type Callback = (...args: unknown[]) => void;

function setOwn(act: Callback, milliseconds = 1, ...args: unknown[]): unknown {
  const timers = timersOf.getStore();
  if (!timers) return setTimeout(act, milliseconds, ...args);
  const timer = timers.set(() => act(...args), milliseconds);
  return new Handle(() => timers.clear(timer));
}

function setOwnInterval(act: Callback, milliseconds = 1, ...args: unknown[]): unknown {
  const timers = timersOf.getStore();
  if (!timers) return setInterval(act, milliseconds, ...args);
  const again = () => {
    timer = timers.set(again, milliseconds);
    act(...args);
  };
  let timer = timers.set(again, milliseconds);
  return new Handle(() => timers.clear(timer));
}

/** Clears a timer or an interval. */
function clearOwn(handle: unknown) {
  if (handle instanceof Handle) handle.clear();
  else clearTimeout(handle as NodeJS.Timeout | undefined);
}

const pause = <T>(milliseconds?: number, value?: T): Promise<T | undefined> =>
  new Promise((resolve) => setOwn(() => resolve(value), milliseconds));

/**
 * Replacements for the timer functions of Node.js, for code that may pause without our knowledge.
 */
export const ownTimers = {
  setTimeout: Object.assign(setOwn, { [promisify.custom]: pause }),
  clearTimeout: clearOwn,
  setInterval: setOwnInterval,
  clearInterval: clearOwn,
};

/** Replacements for some functions of `node:timers/promises`. */
export const ownPromises = { setTimeout: pause, scheduler: { wait: pause } };
