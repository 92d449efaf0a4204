import { PlainError } from '../process/errors.ts';
import type { Heard } from './load/load.ts';
import type { Figures } from './rounds.ts';
import { countClaims } from './seed.ts';

/** Of the answers, those that are not of the kind that is measured stay below a hundredth. */
const LEAST_SHARE = 0.99;

/**
 * The figures of a crowd that was answered as it had to be: else what was measured is something
 * else. Throws a `PlainError` that tells the answers.
 */
export function figuresOf(what: string, heard: Heard, status: number): Figures {
  const { statuses, perSecond, p50, p99 } = heard;
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  if ((statuses[status] ?? 0) < all * LEAST_SHARE)
    throw new PlainError(
      `${what}: almost all answers have to be ${status}, and were ${JSON.stringify(statuses)}.`,
    );
  return { perSecond, p50, p99 };
}

/** Throws a `PlainError` unless each claim that was acknowledged is in the table, and no other. */
export async function expectClaims(what: string, url: string, acknowledged: number) {
  const claims = await countClaims(url);
  if (claims !== acknowledged)
    throw new PlainError(
      `${what}: ${acknowledged} claims were acknowledged, and ${claims} are in the table.`,
    );
}
