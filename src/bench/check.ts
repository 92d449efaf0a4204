import { PlainError } from '../process/errors.ts';
import type { Heard } from './load/load.ts';
import type { Figures } from './rounds.ts';
import { countClaims } from './seed.ts';

/** Fewer than one in a hundred answers may be of another kind than the measured kind. */
const LEAST_SHARE = 0.99;

/**
 * The figures of a crowd whose answers were as expected. If too many answers were not, something
 * else was measured. Then this throws a `PlainError` with the answers.
 */
export function figuresOf(what: string, heard: Heard, status: number): Figures {
  const { statuses, perSecond, p50, p99 } = heard;
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  if ((statuses[status] ?? 0) < all * LEAST_SHARE)
    throw new PlainError(
      `${what}: almost all answers must be ${status}, but were ${JSON.stringify(statuses)}.`,
    );
  return { perSecond, p50, p99 };
}

/** Throws a `PlainError` unless the table has exactly the acknowledged claims. */
export async function expectClaims(what: string, url: string, acknowledged: number) {
  const claims = await countClaims(url);
  if (claims !== acknowledged)
    throw new PlainError(
      `${what}: ${acknowledged} claims were acknowledged, but ${claims} are in the table.`,
    );
}
