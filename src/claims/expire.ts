import type { Transaction } from '../db/client.ts';
import { lockExpired } from './queries.ts';
import { changeSlots } from './slots.ts';

/**
 * Removes up to `limit` expired claims, and returns how many it removed. Waits for no lock. If
 * another session has locked a claim or its job, the claim stays until the next call.
 */
export async function expireClaims(tx: Transaction, limit: number): Promise<number> {
  const found = await lockExpired(tx, limit);
  if (found.length === 0) return 0;
  const jobIds = [...new Set(found.map(({ jobId }) => jobId))];
  const ids = found.map(({ id }) => id);
  return changeSlots(tx, { jobIds }, async (slots) => {
    const expired = await slots.expire(jobIds, ids);
    return expired.length;
  });
}
