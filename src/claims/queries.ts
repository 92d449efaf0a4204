import { count, eq, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { jobClaims } from '../db/schema.ts';
import type { Claim, ClaimRequest, Holders } from './rules.ts';

/** Counts the claims of the job that this statement's snapshot sees. Always one row. */
export async function countHolders(
  db: Database | Transaction,
  { jobId, recruiterId }: ClaimRequest,
): Promise<Holders> {
  const held = sql<boolean>`coalesce(bool_or(${jobClaims.recruiterId} = ${recruiterId}), false)`;
  const [holders] = await db
    .select({ claimed: count(), held: held.as('held') })
    .from(jobClaims)
    .where(eq(jobClaims.jobId, jobId));
  if (!holders) throw new Error('an aggregate gave no row');
  return holders;
}

/** Inserts the claim. Asks nothing: whether it may be inserted is for the caller to know. */
export async function insertClaim(
  db: Database | Transaction,
  { jobId, recruiterId }: ClaimRequest,
): Promise<Claim> {
  const [claim] = await db.insert(jobClaims).values({ jobId, recruiterId }).returning();
  if (!claim) throw new Error('INSERT … RETURNING gave no row');
  return claim;
}
