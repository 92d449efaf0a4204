import type { PlayState, SyllabusEntry, ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';
import { inWords } from '../verdict.tsx';
import { askedFault } from './question.ts';
import { howMany } from './words.ts';

type Proof = SyllabusEntry['situations'][number];

export interface GameResult {
  /**
   * `won`: this schedule has the fault that was asked for, the gravest fault, or a fault that
   * breaks a promise. `wrong`: this schedule has another fault. `held`: this schedule has no fault.
   */
  kind: 'won' | 'held' | 'wrong';
  title: string;
  detail: string;
}

/** The number of sessions in the schedules of a proof. Some situations have a different number. */
export const PROVEN_FOR = 2;

/**
 * Returns the result of a game in words. A schedule without a fault says nothing about other
 * schedules.
 */
export function outcomeOf(
  { told: { faults, summary, schedule } }: PlayState,
  proof: Proof | undefined,
  chapter: ToldChapter,
): GameResult {
  const asked = askedFault(chapter, proof).name;
  const won = [asked, ...winsOf(chapter)].find((name) => faults.includes(name));
  const fault = chapter.faults.find(({ name }) => name === won);
  if (fault) {
    const title = `${capitalised(fault.inWords)}! ${summary}`;
    return { kind: 'won', title, detail: `You did it in ${schedule.length} steps.` };
  }
  const detail = 'Undo some steps, and try another order.';
  if (faults.length > 0)
    return { kind: 'wrong', title: `${faults.join(', ')}: ${summary}`, detail };
  return { kind: 'held', title: `Not this time: ${summary}`, detail };
}

/** Returns the names of the faults that win the game, the gravest first. */
const winsOf = ({ faults, promises }: ToldChapter): string[] =>
  faults
    .map(({ name }) => name)
    .filter(
      (name, index) => index === 0 || promises.some(({ brokenBy }) => brokenBy.includes(name)),
    );

/** Says in a few words whether any schedule has a fault. */
export function wordOf({ faults, isComplete }: Proof): string {
  if (Object.keys(faults).length > 0) return 'Yes.';
  return isComplete === false ? 'Nobody has done it.' : 'No.';
}

/**
 * Returns the result of all schedules in words, such as `With two recruiters: Of 20 schedules, 18
 * oversold.`
 */
export const provenOf = (proof: Proof, chapter: ToldChapter): string =>
  `With ${howMany(proof.sessions ?? PROVEN_FOR, chapter.session)}: ${inWords(chapter, proof)}`;
