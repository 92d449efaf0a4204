import type { Transaction } from '../db/client.ts';
import { lockExpired } from './queries.ts';
import { changeSlots, type Door } from './slots.ts';

/**
 * Removes up to `limit` expired claims of any job, and says how many. It waits for nobody: if another
 * session has a job or a claim, the claim stays for the next time.
 */
export async function expireClaims(door: Door<Transaction>, limit: number): Promise<number> {
  const found = await lockExpired(door.db, limit);
  if (found.length === 0) return 0;
  const jobIds = [...new Set(found.map(({ jobId }) => jobId))];
  const ids = found.map(({ id }) => id);
  return changeSlots(door, { jobIds }, async (slots) => {
    const expired = await slots.expire(jobIds, ids);
    return expired.length;
  });
}
