import { PlainError } from '../../src/platform/process/errors.ts';
import type { Heard } from './load/load.ts';
import type { Figures } from './rounds.ts';
import { countClaims } from './seed.ts';

/** At least 99 of 100 answers must have the expected status. */
const LEAST_SHARE = 0.99;

/**
 * Returns the figures of a crowd. Throws a `PlainError` with the counted statuses if too few
 * answers had the expected status. The figures would then measure something else.
 */
export function figuresOf(what: string, heard: Heard, status: number): Figures {
  const { statuses, perSecond, p50, p99 } = heard;
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  if (all === 0 || (statuses[status] ?? 0) < all * LEAST_SHARE)
    throw new PlainError(
      `${what}: almost all answers must be ${status}, but were ${JSON.stringify(statuses)}.`,
    );
  return { perSecond, p50, p99 };
}

/** Throws a `PlainError` unless the table has exactly as many claims as were acknowledged. */
export async function expectClaims(what: string, url: string, acknowledged: number) {
  const claims = await countClaims(url);
  if (claims !== acknowledged)
    throw new PlainError(
      `${what}: ${acknowledged} claims were acknowledged, but ${claims} are in the table.`,
    );
}
