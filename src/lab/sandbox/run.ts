import type { Exploration } from '../../explorer/explore.ts';
import { counterexampleOf, explore } from '../../explorer/explore.ts';
import { Divergence } from '../../explorer/forks.ts';
import { isOneAfterAnother } from '../../explorer/serial.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import type { ToldSchedule } from '../../explorer/told.ts';
import { whenLate } from '../../platform/waiting/deadline.ts';
import type { Boxes } from './box.ts';
import type { ReadExperiment } from './experiment.ts';
import { USUAL } from './limits.ts';
import { Mistake } from './statements.ts';
import { BROKEN, trialOf } from './trial.ts';

/** The result of an experiment. */
export interface Tried extends Omit<Exploration, 'counterexamples'> {
  /** The clearest schedule with the gravest fault. Null if no fault was found. */
  counterexample: ToldSchedule | null;
  /** Whether the sessions of this schedule run one after the other. */
  isNoRace: boolean;
}

/** The faults of an experiment, the gravest first. */
const FAULTS = [BROKEN, 'deadlock', 'hang'].map((name) => ({ name }));

/** The maximum number of schedules in a run. A run must end soon, since other runs wait. */
const MOST_SCHEDULES = 1_000;
const NOBODY_LISTENS = 'Nobody waits for this run any more.';
const TOO_LONG_A_RUN = `The run took longer than ${USUAL.run / 1000} seconds, so the sandbox stopped its PostgreSQL server.`;

export interface RunOptions {
  stop?: AbortSignal;
  onSchedule?: (schedules: number) => void;
}

/**
 * Plays every schedule of an experiment, on a separate PostgreSQL server. Throws a `Mistake` for
 * the person if the statements cannot be judged.
 */
export const runExperiment = (
  boxes: Boxes,
  experiment: ReadExperiment,
  options: RunOptions = {},
): Promise<Tried> =>
  boxes.use(experiment.sessions.length, async ({ stage, watch }) => {
    const { limits } = boxes;
    // The end of the server also ends a statement that still runs. Nobody needs the result.
    const leave = () => watch.end(NOBODY_LISTENS);
    options.stop?.addEventListener('abort', leave);
    if (options.stop?.aborted) leave();
    try {
      const playing = playAll(stage, experiment, { ...options, mostMs: limits.schedules });
      const tried = await whenLate(playing, limits.run, () => watch.end(TOO_LONG_A_RUN));
      if (watch.reason === undefined) return tried;
    } catch (error) {
      if (watch.reason === undefined) throw explained(error);
    } finally {
      options.stop?.removeEventListener('abort', leave);
    }
    throw new Mistake(watch.reason);
  });

async function playAll(
  stage: Stage,
  experiment: ReadExperiment,
  { stop, onSchedule = () => undefined, mostMs }: RunOptions & { mostMs: number },
): Promise<Tried> {
  const ending = new AbortController();
  const trial = trialOf(experiment, (mistake) => ending.abort(mistake));
  const found = await explore(stage, trial, {
    most: MOST_SCHEDULES,
    mostMs,
    onSchedule,
    stop: stop ? AbortSignal.any([stop, ending.signal]) : ending.signal,
  });
  // A mistake in the last schedule comes too late to stop `explore`. So we check here.
  ending.signal.throwIfAborted();
  const clearest = counterexampleOf(found, FAULTS);
  const { counterexamples: _, ...counted } = found;
  return {
    ...counted,
    counterexample: clearest ? tell(clearest) : null,
    isNoRace: clearest !== undefined && isOneAfterAnother(clearest.schedule),
  };
}

const explained = (error: unknown) =>
  error instanceof Divergence ? new Mistake(WENT_ANOTHER_WAY) : error;

const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. So the schedules cannot be counted. ' +
  'Use no random values and no clock. With three sessions, PostgreSQL may also wake two at once.';
