import { setTimeout } from 'node:timers/promises';
import { claimJob } from 'rowlock/claims/claim.ts';
import type { ClaimRequest } from 'rowlock/claims/rules.ts';
import type { Database } from 'rowlock/db/client.ts';

/** Right, but slow: a timer of its own runs before the claim. */
export default async (db: Database, request: ClaimRequest) => {
  const outcome = await claimJob(db, request);
  await setTimeout(5);
  return outcome;
};
