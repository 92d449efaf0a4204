import { replay } from '../../explorer/explore.ts';
import { Divergence } from '../../explorer/forks.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import { sessionsIn } from '../chapter.ts';
import { type Addressed, findChapter, findSituation, findStrategy } from '../chapters/index.ts';
import { faultOfFile } from '../judge/fault-of-file.ts';
import { loadStrategy } from '../judge/load-strategy.ts';
import {
  type AttemptResult,
  attemptStrategy,
  fallen,
  type LineOf,
  type Listener,
  SESSIONS,
  type Unusable,
} from './attempt-strategy.ts';
import type { Exercise, ExerciseOf } from './exercise.ts';
import { readSchedule } from './schedule-file.ts';

/** Tries a file as the solution of an exercise. */
export async function attempt(
  stage: Stage,
  exercise: Exercise,
  file: string,
  listener: Listener = {},
): Promise<AttemptResult> {
  if (exercise.kind === 'schedule') return attemptSchedule(stage, exercise, file);
  const judged = await loadStrategy(known(findChapter(exercise.chapter)), file);
  const lineOf: LineOf = (played) => faultOfFile(played, file);
  if (exercise.kind === 'strategy')
    return attemptStrategy(stage, judged, exercise, lineOf, listener);
  return oneAfterAnother(stage, judged, lineOf, listener);
}

/**
 * Returns `found`. If `found` is a text, throws, because a lesson names something that does not
 * exist.
 */
function known<T>(found: T | string): T {
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/**
 * Plays one schedule in each situation: first all steps of session 1, then all steps of session 2.
 */
async function oneAfterAnother(
  stage: Stage,
  { chapter, strategy }: Addressed,
  lineOf: LineOf,
  { onStep }: Listener,
): Promise<AttemptResult> {
  for (const situation of chapter.situationsOf(strategy)) {
    onStep?.(situation.idea);
    const sessions = sessionsIn(situation, SESSIONS);
    const played = await replay(stage, chapter.trial(strategy, situation, sessions), []);
    if (played.faults.length > 0) return fallen(chapter, situation, chapter.faults, played, lineOf);
  }
  const says = 'It is right as long as nobody comes at the same time.';
  return { kind: 'solved', result: 'right one after another', says, shown: null };
}

/**
 * Plays the schedule in the file. If the schedule is too short, takes the first possible choice at
 * each further step.
 */
async function attemptSchedule(
  stage: Stage,
  { strategy: address, situation: name, fault, begins = [] }: ExerciseOf<'schedule'>,
  file: string,
): Promise<AttemptResult> {
  const { choices, lineOf } = readSchedule(file);
  const { chapter, strategy } = known(findStrategy(address));
  const situation = known(findSituation({ chapter, strategy }, name));
  const wrong = begins.findIndex((choice, index) => choices[index] !== choice);
  if (wrong >= 0) return unusable(lineOf(wrong), `the schedule must begin with ${begins.join()}.`);
  const sessions = sessionsIn(situation, SESSIONS);
  const trial = chapter.trial(strategy, situation, sessions);
  const played = await replay(stage, trial, choices).catch((error) => {
    if (!(error instanceof Divergence)) throw error;
    const step = Number(/^Step (\d+)/.exec(error.message)?.[1] ?? 1);
    const isOver = / The choices there: none\.$/.test(error.message);
    const words = isOver ? tooLong(step, choices.length - step + 1) : error.message;
    return unusable(lineOf(step - 1), words);
  });
  if ('kind' in played) return played;
  const isReached = played.faults.includes(fault);
  const says = `${isReached ? 'You did it.' : 'Not yet.'} The end of this schedule: ${played.summary}.`;
  return {
    kind: isReached ? 'solved' : 'falls',
    result: isReached ? fault : played.summary,
    says,
    shown: tell(played),
  };
}

const tooLong = (step: number, more: number) =>
  `everybody has ended before step ${step}. Your order has ${more} ${more === 1 ? 'step' : 'steps'} too many.`;

const unusable = (where: string, problem: string): Unusable => ({
  kind: 'unusable',
  line: `${where}: ${problem}`,
});
