import { counterexampleOf, explore, hasAny, type Played, replay } from '../../explorer/explore.ts';
import { Divergence } from '../../explorer/forks.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import type { ToldSchedule } from '../../explorer/told.ts';
import type { Chapter, Fault, Situation } from '../chapter.ts';
import { engineFaults, sessionsIn } from '../chapter.ts';
import { type Addressed, findChapter, findSituation, findStrategy } from '../chapters/index.ts';
import { faultOfFile } from '../judge/fault-of-file.ts';
import { type Check, CROWD, crowdCheck } from '../judge/judge.ts';
import { loadStrategy } from '../judge/load-strategy.ts';
import type { Exercise, ExerciseOf } from './exercise.ts';
import { faultOfTries } from './refusals.ts';
import { readSchedule } from './schedule-file.ts';

/** The result of a trial of a student's file. The student should see only this result. */
export type AttemptResult = Unusable | Judged;

/** The result if the file cannot be judged, because something is wrong with the file itself. */
export interface Unusable {
  kind: 'unusable';
  /** One line with the file's name and, if it is known, the number of the line with the mistake. */
  line: string;
}

export interface Judged {
  kind: 'falls' | 'solved';
  /**
   * The result in a few words, such as `oversold in last-slot`. `Exercise.starter` has this form.
   */
  result: string;
  /** The result in sentences. */
  says: string;
  /** The schedule that shows the result. Null if there is none. */
  shown: ToldSchedule | null;
  /** The name of the situation of this schedule. Undefined if there is none. */
  situation?: string;
}

/** The callbacks for the reports of a trial before its end. */
export interface Listener {
  /** Called before each step of the trial. With a bad file, a step may never end. */
  onStep?: (where: string) => void;
  /**
   * Called with the first schedule that has a fault, before the coach plays the other situations.
   */
  onFall?: (fall: Judged) => void;
}

interface Bounded extends Listener {
  /** The maximum number of schedules in a situation that has no maximum of its own. */
  usualMost?: number;
}

const SESSIONS = 2;

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

/** Returns one line about an error in the student's own code. Undefined if there is none. */
export type LineOf = (played: Played) => string | undefined;

/**
 * Returns `found`. If `found` is a text, throws, because a lesson names something that does not
 * exist.
 */
function known<T>(found: T | string): T {
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** The number of schedules that are played in each further situation after the first fault. */
const GLANCE = 100;

/**
 * Plays every schedule in every situation, up to the first schedule with a fault. After the fault,
 * plays only a few schedules of each further situation.
 */
export async function attemptStrategy(
  stage: Stage,
  judged: Addressed,
  { faults: named, most, refusing, starter }: Omit<ExerciseOf<'strategy'>, 'kind' | 'chapter'>,
  lineOf: LineOf,
  { onStep = () => {}, onFall, usualMost }: Bounded,
): Promise<AttemptResult> {
  const { chapter, strategy } = judged;
  const faults = chapter.faults.filter((each) => isWanted(each, named));
  const endsAfter = hasAny(faults.map(({ name }) => name));
  let schedules = 0;
  let cutAt: number | undefined;
  const play = (situation: Situation, atMost: number | undefined) => {
    const trial = chapter.trial(strategy, situation, sessionsIn(situation, SESSIONS));
    const onSchedule = (count: number) => onStep(`${schedules + count} schedules played`);
    return explore(stage, trial, { most: atMost, endsAfter, onSchedule });
  };
  // Most wrong files fall where the starter falls, so this situation comes first.
  const likely = (situation: Situation) => starter.endsWith(` in ${situation.name}`);
  const situations = chapter
    .situationsOf(strategy)
    .toSorted((one, other) => Number(likely(other)) - Number(likely(one)));
  for (const [index, situation] of situations.entries()) {
    const atMost = most ?? situation.most ?? usualMost;
    const found = await play(situation, atMost);
    const played = counterexampleOf(found, faults);
    schedules += found.schedules;
    if (!found.isComplete) cutAt = atMost;
    if (!played) continue;
    const fall = fallen(chapter, situation, faults, played, lineOf);
    if (fall.kind === 'unusable' || played.faults.includes(HANG)) return fall;
    // The student reads this schedule while we play the other situations.
    onFall?.(fall);
    const others: string[] = [];
    for (const other of situations.slice(index + 1))
      if (counterexampleOf(await play(other, GLANCE), faults)) others.push(other.idea);
    return others.length === 0 ? fall : { ...fall, says: `${fall.says} ${alsoIn(others)}` };
  }
  const crowd = named ? undefined : await crowdCheck(stage, judged, onStep);
  if (crowd && !crowd.holds) return inTheCrowd(chapter, crowd);
  const wrong = refusing && (await faultOfTries(stage, judged, refusing));
  if (wrong)
    return { kind: 'falls', result: 'wrong tries', says: `${IN_ALL} ${wrong}`, shown: null };
  const says = cutAt
    ? `It holds in ${schedules} schedules. These are not all: at most ${cutAt} are played in each situation.`
    : `It holds in all ${schedules} schedules.`;
  return { kind: 'solved', result: 'holds', says, shown: null };
}

const IN_ALL = 'It holds in all schedules, but not when PostgreSQL refuses every insert.';

/** After this fault no further situation is played, because each hang takes ten seconds. */
const HANG = engineFaults.hang.name;

const alsoIn = (ideas: string[]) => `It also goes wrong in other situations: ${ideas.join('; ')}.`;

/**
 * Returns whether an exercise checks a fault. Every exercise checks deadlocks, hangs and
 * errors.
 */
const isWanted = ({ name }: Fault, named: string[] | undefined) =>
  named === undefined || named.includes(name) || name in engineFaults;

const inTheCrowd = ({ faults, session }: Chapter, { fault, detail }: Check): Judged => {
  const found = faults.find(({ name }) => name === fault);
  return {
    kind: 'falls',
    result: 'falls in the crowd',
    says:
      `It holds in every schedule of two, but it ${found?.verdict} when ${CROWD.sessions} ` +
      `${session.many} come at full speed (${detail}). The broken rule: ${found?.fact}.`,
    shown: null,
  };
};

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

function fallen(
  { faults: all }: Chapter,
  { name, idea }: Situation,
  faults: readonly Fault[],
  played: Played,
  lineOf: LineOf,
): Unusable | Judged {
  const line = lineOf(played);
  if (line !== undefined) return { kind: 'unusable', line };
  const fault = faults.find((each) => played.faults.includes(each.name)) ?? all[0];
  const says = `It ${fault?.verdict}. The situation: ${idea}. The broken rule: ${fault?.fact}.`;
  const shown = tell(played);
  return { kind: 'falls', result: `${fault?.name} in ${name}`, says, shown, situation: name };
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
