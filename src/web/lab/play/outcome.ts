import type { Entry, PlayState } from '../api.ts';
import type { Place } from '../place.ts';

export interface Outcome {
  /** `won`: it is oversold. `safe`: nobody could. `held`: not this time. `wrong`: another fault. */
  kind: 'won' | 'safe' | 'held' | 'wrong';
  title: string;
  detail: string;
}

/** Recruiters whose every schedule was played for docs/strategies.md. */
const PROVEN_FOR = 2;

/** What a schedule that is over has come to, beside what is proven of all schedules. */
export function outcomeOf(state: PlayState, place: Place, entry: Entry | undefined): Outcome {
  const { faults, summary, schedule } = state.told;
  const setting = entry?.settings.find(({ name }) => name === place.scenario);
  const proven = setting ? sayProven(setting) : '';
  if (faults.includes('oversold')) {
    const steps = `You did it in ${schedule.length} steps.`;
    return { kind: 'won', title: `Oversold! ${summary}`, detail: `${steps} ${proven}` };
  }
  if (faults.length > 0)
    return { kind: 'wrong', title: `${faults.join(', ')}: ${summary}`, detail: proven };
  if (!setting || Object.keys(setting.faults).length > 0)
    return { kind: 'held', title: `Not this time: ${summary}`, detail: proven };
  const allHold = `${setting.schedules} of ${setting.schedules} schedules hold`;
  if (place.sessions > PROVEN_FOR)
    return { kind: 'held', title: `It held: ${summary}`, detail: `Of two recruiters, ${allHold}.` };
  const detail = `${summary}. Every order of two recruiters' statements was played.`;
  return { kind: 'safe', title: `You cannot: ${allHold}`, detail };
}

const FAULTS: Record<string, string> = {
  oversold: 'oversell it',
  unsold: 'turn somebody away from a free slot',
  deadlock: 'end in a deadlock',
  error: 'end in an error',
  hang: 'never end',
  untrue: 'tell somebody something untrue',
};

function sayProven({ schedules, faults }: Entry['settings'][number]): string {
  const counts = Object.entries(faults).map(
    ([fault, count]) => `${count} of ${schedules} schedules ${FAULTS[fault] ?? fault}`,
  );
  if (counts.length === 0) return `Of two recruiters, all ${schedules} schedules hold.`;
  const never = faults.oversold ? '' : ' none oversells it, but';
  return `Of two recruiters,${never} ${counts.join(', ')}.`;
}
