import type { Found, Violation } from './types.ts';

/** Thrown by `assertHolds`. `expected` and `actual` are those of the failed assertion, if any. */
export class RuleBroken extends Error {
  override name = 'RuleBroken';
  readonly expected?: unknown;
  readonly actual?: unknown;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    if (typeof cause !== 'object' || cause === null || !('expected' in cause)) return;
    this.expected = cause.expected;
    this.actual = 'actual' in cause ? cause.actual : undefined;
  }
}

/** Returns the first line of the message of an error. */
export const lineOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';

/** Returns how many schedules were played, in words. */
export const sayPlayed = ({ schedules, isComplete }: Pick<Found, 'schedules' | 'isComplete'>) =>
  isComplete
    ? `all ${schedules} schedules`
    : `the first ${schedules} schedules, and there are more`;

/** Returns the whole message about a violation. */
export function sayViolation(found: Found, violation: Violation): string {
  const { number, isNoRace, rule, schedule, transcript } = violation;
  const where =
    number === 0
      ? 'Broken by the kept schedule, which was played first.'
      : `Found in schedule ${number}. Complete: ${found.isComplete ? 'yes' : 'no'}.`;
  return [
    `${found.name}: ${rule}`,
    '',
    where,
    ...(isNoRace ? ['This is no race: the sessions ran one after the other.'] : []),
    ...found.remarks,
    '',
    transcript,
    '',
    `Explored at ${found.calledAt}`,
    `Schedule: ${schedule}`,
  ].join('\n');
}

export const sayIncomplete = (found: Found): string =>
  [
    `${found.name}: the rule held in ${sayPlayed(found)}.`,
    'Allow more with `most`, or accept this with assertHolds({ mayBeIncomplete: true }).',
    ...found.remarks,
    `Explored at ${found.calledAt}`,
  ].join('\n');
