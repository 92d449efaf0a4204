import { counterexampleOf, explore, hasAny, type Played } from '../../explorer/explore.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import type { ToldSchedule } from '../../explorer/told.ts';
import type { Chapter, Fault, Situation } from '../chapter.ts';
import { engineFaults, sessionsIn } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import { type Check, CROWD, crowdCheck } from '../judge/judge.ts';
import type { ExerciseOf } from './exercise.ts';
import { faultOfTries } from './refusals.ts';

// A deployed server imports this file for scripts of SQL. It has no compiler, so this file loads no
// strategy from a file of TypeScript.

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

/** The number of sessions in a situation that does not fix the number. */
export const SESSIONS = 2;

/** Returns one line about an error in the student's own code. Undefined if there is none. */
export type LineOf = (played: Played) => string | undefined;

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

/** Returns the result of a schedule with a fault. */
export function fallen(
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
