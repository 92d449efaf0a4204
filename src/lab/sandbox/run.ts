import type { Exploration } from '../explore/explore.ts';
import { counterexampleOf, explore } from '../explore/explore.ts';
import { Divergence } from '../explore/forks.ts';
import type { Stage } from '../explore/stage.ts';
import { tell } from '../explore/tell.ts';
import type { ToldSchedule } from '../explore/told.ts';
import type { Boxes } from './box.ts';
import type { ReadExperiment } from './experiment.ts';
import { Mistake } from './statements.ts';
import { BROKEN, trialOf } from './trial.ts';

/** The result of an experiment. */
export interface Tried extends Omit<Exploration, 'counterexamples'> {
  /** The clearest schedule with the gravest fault. Null if no fault was found. */
  counterexample: ToldSchedule | null;
}

/** The gravest first. */
const FAULTS = [BROKEN, 'deadlock', 'hang'].map((name) => ({ name }));

/** A run must end soon, since others wait for its place. */
const MOST_SCHEDULES = 1_000;
const MOST_MS = 8_000;

export interface RunOptions {
  stop?: AbortSignal;
  onSchedule?: (schedules: number) => void;
}

/**
 * Plays every schedule of an experiment, in a database and with a role of its own. Throws a
 * `Mistake` with words for a person if the statements cannot be judged.
 */
export const runExperiment = (
  boxes: Boxes,
  experiment: ReadExperiment,
  options: RunOptions = {},
): Promise<Tried> =>
  boxes.use(experiment.sessions.length, async ({ stage, watch }) => {
    try {
      const tried = await playAll(stage, experiment, options);
      if (watch.reason === undefined) return tried;
    } catch (error) {
      if (watch.reason === undefined) throw explained(error);
    }
    throw new Mistake(watch.reason);
  });

async function playAll(
  stage: Stage,
  experiment: ReadExperiment,
  { stop, onSchedule = () => undefined }: RunOptions,
): Promise<Tried> {
  const ending = new AbortController();
  const trial = trialOf(experiment, (mistake) => ending.abort(mistake));
  const found = await explore(stage, trial, {
    most: MOST_SCHEDULES,
    mostMs: MOST_MS,
    onSchedule,
    stop: stop ? AbortSignal.any([stop, ending.signal]) : ending.signal,
  });
  // The mistake may have come in the last schedule.
  ending.signal.throwIfAborted();
  const clearest = counterexampleOf(found, FAULTS);
  const { counterexamples: _, ...counted } = found;
  return { ...counted, counterexample: clearest ? tell(clearest) : null };
}

const explained = (error: unknown) =>
  error instanceof Divergence ? new Mistake(WENT_ANOTHER_WAY) : error;

const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. So the schedules cannot be counted. ' +
  'Use no random values and no clock. With three sessions, PostgreSQL may also wake two at once.';
