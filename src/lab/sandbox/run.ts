import type { Exploration } from '../../explorer/explore.ts';
import { counterexampleOf, explore, replay } from '../../explorer/explore.ts';
import { Divergence } from '../../explorer/forks.ts';
import { isOneAfterAnother } from '../../explorer/serial.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import type { ToldSchedule } from '../../explorer/told.ts';
import { whenLate } from '../../platform/waiting/deadline.ts';
import { type Order, orderOf, sorted } from '../explorations/orders.ts';
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
  /** All played orders. */
  orders: Order[];
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
  onServer(boxes, experiment, options, (stage) =>
    playAll(stage, experiment, { ...options, mostMs: boxes.limits.schedules }),
  );

/**
 * Plays one order of an experiment, on a separate PostgreSQL server. Throws a `Mistake` for the
 * person if the statements cannot be judged, or if the experiment has no such order.
 */
export const runOrder = (
  boxes: Boxes,
  experiment: ReadExperiment,
  schedule: string[],
  options: Pick<RunOptions, 'stop'> = {},
): Promise<ToldSchedule> =>
  onServer(boxes, experiment, options, (stage) => playOne(stage, experiment, schedule));

/** Does the work on a separate server. The end of the run, and its time limit, end the server. */
const onServer = <T>(
  boxes: Boxes,
  { sessions }: ReadExperiment,
  { stop }: Pick<RunOptions, 'stop'>,
  work: (stage: Stage) => Promise<T>,
): Promise<T> =>
  boxes.use(sessions.length, async ({ stage, watch }) => {
    // The end of the server also ends a statement that still runs. Nobody needs the result.
    const leave = () => watch.end(NOBODY_LISTENS);
    stop?.addEventListener('abort', leave);
    if (stop?.aborted) leave();
    try {
      const done = await whenLate(work(stage), boxes.limits.run, () => watch.end(TOO_LONG_A_RUN));
      if (watch.reason === undefined) return done;
    } catch (error) {
      if (watch.reason === undefined) throw explained(error);
    } finally {
      stop?.removeEventListener('abort', leave);
    }
    throw new Mistake(watch.reason);
  });

async function playOne(
  stage: Stage,
  experiment: ReadExperiment,
  schedule: string[],
): Promise<ToldSchedule> {
  const mistakes: Mistake[] = [];
  const trial = trialOf(experiment, (mistake) => mistakes.push(mistake));
  const played = await replay(stage, trial, schedule).catch((error: unknown) => {
    throw error instanceof Divergence ? new Mistake(error.message) : error;
  });
  const [first] = mistakes;
  if (first) throw first;
  return tell(played);
}

async function playAll(
  stage: Stage,
  experiment: ReadExperiment,
  { stop, onSchedule = () => undefined, mostMs }: RunOptions & { mostMs: number },
): Promise<Tried> {
  const ending = new AbortController();
  const trial = trialOf(experiment, (mistake) => ending.abort(mistake));
  const orders: Order[] = [];
  const found = await explore(stage, trial, {
    most: MOST_SCHEDULES,
    mostMs,
    onSchedule,
    onPlayed: (played) => orders.push(orderOf(FAULTS, played)),
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
    orders: sorted(orders),
  };
}

const explained = (error: unknown) =>
  error instanceof Divergence ? new Mistake(WENT_ANOTHER_WAY) : error;

const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. So the schedules cannot be counted. ' +
  'Use no random values and no clock. With three sessions, PostgreSQL may also wake two at once.';
