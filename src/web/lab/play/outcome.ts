import type { PlayState, SyllabusEntry, ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';
import type { Place } from '../place.ts';
import { inWords } from '../verdict.tsx';

export interface Outcome {
  /**
   * `won`: this schedule has the gravest fault. `wrong`: it has another fault. `held`: it has no
   * fault. `safe`: no schedule has a fault.
   */
  kind: 'won' | 'safe' | 'held' | 'wrong';
  title: string;
  detail: string;
}

/** The proofs are from every schedule of this number of sessions. */
const PROVEN_FOR = 2;

/** The situation of a place, with its proof. The default is the first situation. */
export const situationAt = (
  entry: SyllabusEntry | undefined,
  { situation }: Place,
): SyllabusEntry['situations'][number] | undefined =>
  situation === ''
    ? entry?.situations[0]
    : entry?.situations.find(({ name }) => name === situation);

/** Compares the end of a schedule with the proof from all schedules. */
export function outcomeOf(
  state: PlayState,
  place: Place,
  entry: SyllabusEntry | undefined,
  chapter: ToldChapter,
): Outcome {
  const { faults, summary, schedule } = state.told;
  const [gravest] = chapter.faults;
  const proof = situationAt(entry, place);
  const proven = proof
    ? `With two ${chapter.session.many}: ${inWords(chapter, proof.schedules, proof.faults)}`
    : '';
  if (gravest && faults.includes(gravest.name)) {
    const steps = `You did it in ${schedule.length} steps.`;
    const title = `${capitalised(gravest.name)}! ${summary}`;
    return { kind: 'won', title, detail: `${steps} ${proven}` };
  }
  if (faults.length > 0)
    return { kind: 'wrong', title: `${faults.join(', ')}: ${summary}`, detail: proven };
  if (!proof || Object.keys(proof.faults).length > 0)
    return { kind: 'held', title: `Not this time: ${summary}`, detail: proven };
  if (place.sessions > PROVEN_FOR)
    return { kind: 'held', title: `It held: ${summary}`, detail: proven };
  const title = `You cannot: ${proof.schedules} of ${proof.schedules} schedules hold`;
  const detail = `${summary}. Every order of the statements of two ${chapter.session.many} was played.`;
  return { kind: 'safe', title, detail };
}
