import { setTimeout } from 'node:timers/promises';
import type { Database } from 'rowlock/platform/db/client.ts';
import { claimJob } from 'rowlock/service/claims/claim.ts';
import type { ClaimRequest } from 'rowlock/service/claims/rules.ts';

/** Right, but slow: a timer of its own runs before the claim. */
export default async (db: Database, request: ClaimRequest) => {
  const outcome = await claimJob(db, request);
  await setTimeout(5);
  return outcome;
};
