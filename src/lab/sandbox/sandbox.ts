import { databaseError, SQLSTATE } from '../../db/sqlstate.ts';
import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { Turns, type TurnsLimits } from '../../waiting/turns.ts';
import { Listener } from '../listener.ts';
import { refusalOf } from '../problems.ts';
import type { Boxes } from './box.ts';
import { type Experiment, type ReadExperiment, readExperiment } from './experiment.ts';
import { runExperiment, type Tried } from './run.ts';
import { Mistake } from './statements.ts';

export interface SandboxDeps {
  boxes: Boxes;
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
  /** Who may run and wait. By default two runs go on at a time. */
  turns?: TurnsLimits;
}

/** The data of the events of a run, by their names. */
export interface SandboxNews {
  /** The run waits for its turn. 1 is the next. */
  queued: { place: number };
  /** How many schedules were played. The total is unknown. */
  progress: { schedules: number; of: null };
  done: Tried;
  failed: { detail: string };
}

/**
 * A run ends after a few seconds, so everybody's turn comes soon. The wait has no time limit. It ends
 * when the listener leaves.
 */
const TWO_AT_ONCE: TurnsLimits = { places: 2, longest: 50 };
/** The time between two reports of progress. */
const PROGRESS_MS = 50;
/** Complete results, such as those of the classics, which many people ask for. */
const MOST_KNOWN = 200;

export const SANDBOX_OFF =
  'The sandbox is off: the account of the service in PostgreSQL may not create databases and roles ' +
  'and take rights from them. It must be a superuser.';

/** Runs the experiments of all people. */
export class Sandbox {
  readonly #deps: SandboxDeps;
  readonly #turns: Turns;
  readonly #known = new Map<string, Tried>();

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
    this.#turns = new Turns(deps.turns ?? TWO_AT_ONCE);
  }

  /**
   * Starts a run, and returns its listener. The run ends when the listener leaves. Returns `full` if
   * no more runs may wait. Throws a `Mistake` if a statement is not allowed. Callers take turns by
   * their keys.
   */
  listen(experiment: Experiment, caller: string): Listener | 'full' {
    const read = readExperiment(experiment);
    const key = JSON.stringify(read);
    const known = this.#known.get(key);
    if (!known && this.#turns.isFullFor(caller)) return 'full';
    const listener = new Listener();
    if (known) {
      listener.tell('done', known);
      listener.end();
    } else void this.#run(listener, read, key, caller);
    return listener;
  }

  async #run(listener: Listener, experiment: ReadExperiment, key: string, caller: string) {
    const tell = <Name extends keyof SandboxNews>(name: Name, data: SandboxNews[Name]) =>
      listener.tellLatest(name, data);
    const stop = AbortSignal.any([listener.left, this.#deps.stop]);
    let toldAt = 0;
    const onSchedule = (schedules: number) => {
      if (performance.now() - toldAt < PROGRESS_MS) return;
      toldAt = performance.now();
      tell('progress', { schedules, of: null });
    };
    try {
      const work = async () => {
        // A class often tries the same classic at once. The first run then answers all of them.
        const known = this.#known.get(key);
        if (known) return known;
        tell('progress', { schedules: 0, of: null });
        return runExperiment(this.#deps.boxes, experiment, { stop, onSchedule });
      };
      const onPlace = (place: number) => tell('queued', { place });
      const done = await this.#turns.run(work, () => undefined, { key: caller, onPlace, stop });
      if (!done) return;
      if (done.isComplete) this.#remember(key, done);
      tell('done', done);
    } catch (error) {
      if (!stop.aborted) tell('failed', { detail: this.#explain(error) });
    } finally {
      listener.end();
    }
  }

  #remember(key: string, done: Tried) {
    this.#known.set(key, done);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #explain(error: unknown): string {
    if (error instanceof Mistake) return error.message;
    if (databaseError(error)?.code === SQLSTATE.insufficientPrivilege) return SANDBOX_OFF;
    const refused = refusalOf(error);
    if (refused) return refused.detail;
    this.#deps.log.error({ event: 'a run of the sandbox failed', error: describe(error) });
    return 'Something unexpected happened. The log has the error.';
  }
}
