import type { Exploration } from '../../explorer/explore.ts';
import { counterexampleOf, explore, replay } from '../../explorer/explore.ts';
import { Divergence } from '../../explorer/forks.ts';
import { isOneAfterAnother } from '../../explorer/serial.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import type { ToldSchedule } from '../../explorer/told.ts';
import { type Order, orderOf, sorted } from '../explorations/orders.ts';
import type { Boxes } from './box.ts';
import type { ReadExperiment } from './experiment.ts';
import { onServer, type ServerOptions } from './on-server.ts';
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
  onServer(boxes, serverFor(experiment, options), (stage) =>
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
  onServer(boxes, serverFor(experiment, options), (stage) => playOne(stage, experiment, schedule));

const serverFor = (
  { sessions }: ReadExperiment,
  { stop }: Pick<RunOptions, 'stop'>,
): ServerOptions => ({ sessions: sessions.length, stop, explain: explained });

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
  { stop, onSchedule = () => undefined, mostMs }: RunOptions & { mostMs: number | undefined },
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

/** Returns a `Mistake` if a schedule ran differently when it was played again. */
export const explained = (error: unknown) =>
  error instanceof Divergence ? new Mistake(WENT_ANOTHER_WAY) : error;

const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. So the schedules cannot be counted. ' +
  'Use no random values and no clock. With three sessions, PostgreSQL may also wake two at once.';
