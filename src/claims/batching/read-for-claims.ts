import { anyOf } from '../../db/arrays.ts';
import type { Transaction } from '../../db/client.ts';
import { jobs, recruiters } from '../../db/schema.ts';
import type { ClaimRequest } from '../rules.ts';

/**
 * Returns the ids of the recruiters who exist, even if their rows are locked. If there are no
 * requests, no statement is sent.
 */
export async function recruitersThatExist(
  tx: Transaction,
  requests: ClaimRequest[],
): Promise<Set<bigint>> {
  if (requests.length === 0) return new Set();
  const ids = requests.map(({ recruiterId }) => recruiterId);
  const rows = await tx
    .select({ id: recruiters.id })
    .from(recruiters)
    .where(anyOf(recruiters.id, ids));
  return new Set(rows.map(({ id }) => id));
}

/** Returns the ids of the jobs that exist, even if their rows are locked. */
export async function jobsThatExist(tx: Transaction, ids: bigint[]): Promise<Set<bigint>> {
  const rows = await tx.select({ id: jobs.id }).from(jobs).where(anyOf(jobs.id, ids));
  return new Set(rows.map(({ id }) => id));
}
