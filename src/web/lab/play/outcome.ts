import type { PlayState, SyllabusEntry, ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';
import { situationAt } from '../part.ts';
import type { Place } from '../place.ts';
import { inWords } from '../verdict.tsx';
import { howMany } from './words.ts';

export interface Outcome {
  /**
   * `won`: this schedule has the gravest fault, or one that breaks a promise. `wrong`: it has another
   * fault. `held`: it has no fault. `safe`: no schedule has a fault.
   */
  kind: 'won' | 'safe' | 'held' | 'wrong';
  title: string;
  detail: string;
}

/** The proofs are from every schedule of this number of sessions. Some situations have their own. */
export const PROVEN_FOR = 2;

/** Compares the end of a schedule with the proof from all schedules. */
export function outcomeOf(
  state: PlayState,
  place: Place,
  entry: SyllabusEntry | undefined,
  chapter: ToldChapter,
): Outcome {
  const { faults, summary, schedule, sessions } = state.told;
  const proof = situationAt(entry, place);
  const number = proof?.sessions ?? PROVEN_FOR;
  const provenFor = howMany(number, chapter.session);
  const proven = proof ? `With ${provenFor}: ${inWords(chapter, proof)}` : '';
  const won = chapter.faults.find(({ name }) => faults.includes(name) && isWin(chapter, name));
  if (won) {
    const steps = `You did it in ${schedule.length} steps.`;
    const title = `${capitalised(won.inWords)}! ${summary}`;
    return { kind: 'won', title, detail: `${steps} ${proven}` };
  }
  if (faults.length > 0)
    return { kind: 'wrong', title: `${faults.join(', ')}: ${summary}`, detail: proven };
  if (!proof || Object.keys(proof.faults).length > 0)
    return { kind: 'held', title: `Not this time: ${summary}`, detail: proven };
  if (sessions > number || proof.isComplete === false)
    return { kind: 'held', title: `It held: ${summary}`, detail: proven };
  const title = `You cannot: ${proof.schedules} of ${proof.schedules} schedules hold`;
  const detail = `${summary}. Every order of the statements of ${provenFor} was played.`;
  return { kind: 'safe', title, detail };
}

const isWin = ({ faults: [gravest], promises }: ToldChapter, fault: string): boolean =>
  gravest?.name === fault || promises.some(({ brokenBy }) => brokenBy.includes(fault));
