import type { Database, Transaction } from '../db/client.ts';
import { jobClaims } from '../db/schema.ts';
import type { Claim, ClaimRequest } from './rules.ts';

/** Inserts the claim. Asks nothing: whether it may be inserted is for the caller to know. */
export async function insertClaim(
  db: Database | Transaction,
  { jobId, recruiterId }: ClaimRequest,
): Promise<Claim> {
  const [claim] = await db.insert(jobClaims).values({ jobId, recruiterId }).returning();
  if (!claim) throw new Error('INSERT … RETURNING gave no row');
  return claim;
}
