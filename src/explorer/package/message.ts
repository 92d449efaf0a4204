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

/** Thrown by `assertHolds` if a limit has ended the search. */
export class SearchIncomplete extends Error {
  override name = 'SearchIncomplete';
}

/** Returns the first line of the message of an error. */
export const lineOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';

/** Returns how many schedules were played, in words. */
export const sayPlayed = ({ schedules, isComplete }: Pick<Found, 'schedules' | 'isComplete'>) => {
  const count = schedules === 1 ? '1 schedule' : `${schedules} schedules`;
  return isComplete ? `all ${count}` : `the first ${count}`;
};

/** Returns the whole message about a violation. */
export function sayViolation(found: Found, violation: Violation): string {
  const { number, isNoRace, rule, schedule, transcript } = violation;
  const rest = found.isComplete
    ? ''
    : ` The schedules after number ${found.schedules} were not played.`;
  const where =
    number === 0
      ? 'The kept schedule was played first, and broke the rule.'
      : `Schedule ${number} broke the rule.${rest}`;
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
    `${found.name}: the rule held in ${sayPlayed(found)}. The others were not played.`,
    'Allow more with `most`, or accept this with assertHolds({ mayBeIncomplete: true }).',
    ...found.remarks,
    `Explored at ${found.calledAt}`,
  ].join('\n');
