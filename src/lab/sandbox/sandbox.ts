import type { ToldSchedule } from '../../explorer/told.ts';
import { NoBinaries, NoCopy } from '../../platform/postgres/copies/copies.ts';
import type { Log } from '../../platform/process/log.ts';
import type { TurnsLimits } from '../../platform/waiting/turns.ts';
import type { Listener } from '../listener.ts';
import { progressOf, type Run, Runs, type RunsDeps, type ScheduleNews } from '../runs.ts';
import type { Boxes } from './box.ts';
import { type Experiment, type ReadExperiment, readExperiment } from './experiment.ts';
import { runExperiment, runOrder, type Tried } from './run.ts';
import { Mistake } from './statements.ts';

export interface SandboxDeps extends RunsDeps {
  boxes: Boxes;
}

type SandboxNews = ScheduleNews<Tried | ToldSchedule>;

/**
 * The maximum number of runs at the same time. Two runs keep two processors busy. We allow three
 * more runs, since a run whose statement never ends takes one of the five places for 2 s.
 */
export const PLACES = 5;
/** Up to 50 further runs wait. A run ends after a few seconds, so the wait is short. */
const FIVE_AT_ONCE: TurnsLimits = { places: PLACES, longest: 50 };

const SANDBOX_OFF =
  'The sandbox is off: it needs the embedded PostgreSQL, and this computer does not have it.';
const NO_SERVER =
  'The sandbox could not start a PostgreSQL server for this run. The log has the reason.';

/** Runs the experiments of all people. Callers with the same experiment share one run. */
export class Sandbox {
  readonly #boxes: Boxes;
  readonly #runs: Runs<SandboxNews>;

  constructor(deps: SandboxDeps) {
    this.#boxes = deps.boxes;
    this.#runs = new Runs(
      { ...deps, turns: deps.turns ?? FIVE_AT_ONCE },
      {
        failure: 'a run of the sandbox failed',
        explain: (error) => explain(error, deps.log),
        isLasting: (done) => !('isComplete' in done) || done.isComplete,
      },
    );
    // When the service stops, the servers of the runs end while the last requests are answered.
    deps.stop.addEventListener('abort', () => void deps.boxes.close(), { once: true });
  }

  /**
   * Returns a listener of a run, or `full` if too many listen or wait. Throws a `Mistake` if a
   * statement is not allowed.
   */
  listen(experiment: Experiment, caller: string): Listener | 'full' {
    const read = readExperiment(experiment);
    const work = (run: Run<SandboxNews>) => this.#try(read, run);
    return this.#runs.listen({ key: JSON.stringify(read), caller, work });
  }

  /** Returns a listener of a run that plays one order of an experiment. Otherwise like `listen`. */
  listenToOrder(experiment: Experiment, schedule: string, caller: string): Listener | 'full' {
    const read = readExperiment(experiment);
    const work = ({ stop }: Run<SandboxNews>) =>
      runOrder(this.#boxes, read, schedule.split(','), { stop });
    return this.#runs.listen({ key: JSON.stringify({ ...read, schedule }), caller, work });
  }

  #try(experiment: ReadExperiment, run: Run<SandboxNews>): Promise<Tried> {
    const { stop } = run;
    const onSchedule = progressOf(run, null);
    onSchedule(0);
    return runExperiment(this.#boxes, experiment, { stop, onSchedule });
  }
}

/** Returns the words for an expected error of a run. Logs the error if there is no server. */
export function explain(error: unknown, log: Log): string | undefined {
  if (error instanceof Mistake) return error.message;
  if (error instanceof NoBinaries) return SANDBOX_OFF;
  if (!(error instanceof NoCopy)) return undefined;
  log.error({ event: 'the sandbox has no server', error: error.message });
  return NO_SERVER;
}
