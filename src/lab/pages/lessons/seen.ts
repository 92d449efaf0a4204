import type { PlayState } from '../api.ts';
import type { Place } from '../place.ts';
import type { Racing } from '../race/use-race.ts';

/**
 * Returns the goals that the present game has reached. A deadlock counts at once. Everything else
 * counts when the schedule is over. While the page waits for an answer, the state belongs to another
 * schedule. Then no goal counts.
 */
export function seenInPlay(state: PlayState | undefined, { schedule }: Place): string[] {
  if (state?.told.schedule.join() !== schedule.join()) return [];
  if (!state.isOver) return state.deadlock ? ['deadlock'] : [];
  const { faults, steps } = state.told;
  const acts = steps.flatMap((step) => step.acts);
  return [...faults, ...(acts.some(({ progress }) => progress === 'waits') ? ['wait'] : [])];
}

/** Returns the goals that the first strategy of the last race has reached. */
export function seenInRace(racing: Racing | undefined, { strategy }: Place): string[] {
  const [first] = racing?.told?.results ?? [];
  if (!first || !`/${strategy}`.endsWith(`/${first.strategy}`)) return [];
  return ['raced', ...Object.keys(first.faults).filter((name) => first.faults[name])];
}
