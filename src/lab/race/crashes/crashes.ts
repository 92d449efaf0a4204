import { playFree } from '../../../explorer/free.ts';
import type { Death, Seen } from '../../../explorer/mortal.ts';
import type { Stage } from '../../../explorer/stage.ts';
import { Hang } from '../../../explorer/stillness.ts';
import { type Ending, isOfTrial } from '../../../explorer/trial.ts';
import type { Chapter, CrashRace, RaceSize, Strategy } from '../../chapter.ts';
import type { RaceOrder } from '../race.ts';

/** A chapter whose strategies race while processes are killed. */
export type CrashChapter = Chapter & { race: CrashRace };

export const hasCrashes = (chapter: Chapter): chapter is CrashChapter =>
  chapter.race.kind === 'crashes';

/** The result of one round. */
export interface CrashRound {
  faults: string[];
  /** The result in one line. */
  summary: string;
  counts: Record<string, number>;
  endings: Ending[];
  /** Everything that the sessions did, in the order in which the steps ended. */
  seen: (Seen & { session: number })[];
  /** The time at which the round began, by `performance.now()`. */
  began: number;
}

/** The rounds of one strategy. */
export interface CrashResult {
  chapter: string;
  strategy: string;
  promise: string;
  /** In how many rounds each fault was found. */
  faults: Record<string, number>;
  /** The sums of the counts of all rounds. */
  counts: Record<string, number>;
  /** How many processes were killed. */
  killed: number;
}

/** Plays one round on a stage. Chance decides which processes are killed, and when. */
export async function playRound(
  stage: Stage,
  chapter: CrashChapter,
  strategy: Strategy,
  size: RaceSize,
): Promise<CrashRound> {
  const { race } = chapter;
  const trial = chapter.trial(strategy, race.situation(size), size.sessions);
  const deaths = trial.sessions.map(() => chooseDeath(race.mostSteps(size)));
  const seen: CrashRound['seen'] = [];
  const began = performance.now();
  try {
    const played = await playFree(stage, trial, { deaths, onSeen: (each) => seen.push(each) });
    const { faults, summary, counts = {}, endings } = played;
    const hasFailed = endings.some((each) => 'error' in each && !isOfTrial(each.error));
    return {
      faults: hasFailed ? [...faults, 'error'] : faults,
      summary,
      counts,
      endings,
      seen,
      began,
    };
  } catch (error) {
    if (!(error instanceof Hang)) throw error;
    return { faults: ['hang'], summary: error.message, counts: {}, endings: [], seen, began };
  }
}

/**
 * Chooses the death of a process. Half of the processes get a death. They die if they make enough
 * steps.
 */
function chooseDeath(mostSteps: number): Death | undefined {
  if (Math.random() < 0.5) return undefined;
  return { step: 1 + Math.floor(Math.random() * mostSteps), isSent: Math.random() < 0.5 };
}

/** Races one strategy for many rounds. */
export async function raceWithCrashes(
  stage: Stage,
  chapter: CrashChapter,
  strategy: Strategy,
  { rounds, ...size }: RaceOrder,
  onRound: (round: CrashRound, done: number) => void,
  stop: AbortSignal,
): Promise<CrashResult> {
  const { name, promise } = strategy;
  const result = newCrashResult(chapter.name, name, promise);
  for (let done = 1; done <= rounds; done++) {
    stop.throwIfAborted();
    const round = await playRound(stage, chapter, strategy, size);
    addCrashRound(result, round);
    onRound(round, done);
  }
  return result;
}

export const newCrashResult = (
  chapter: string,
  strategy: string,
  promise: string,
): CrashResult => ({
  chapter,
  strategy,
  promise,
  faults: {},
  counts: {},
  killed: 0,
});

export function addCrashRound(result: CrashResult, { faults, counts, endings }: CrashRound) {
  for (const fault of faults) result.faults[fault] = (result.faults[fault] ?? 0) + 1;
  for (const [name, count] of Object.entries(counts))
    result.counts[name] = (result.counts[name] ?? 0) + count;
  result.killed += endings.filter((ending) => 'died' in ending).length;
}
