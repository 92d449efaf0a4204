import { sql } from 'drizzle-orm';
import type { Database, Transaction } from 'rowlock/platform/db/client.ts';
import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';

/** Claims in a transaction that first locks the job, as it should. */
export const underLock =
  (claim: (tx: Transaction, request: ClaimRequest) => Promise<Outcome>) =>
  (db: Database, request: ClaimRequest): Promise<Outcome> =>
    db.transaction(async (tx) => {
      await tx.execute(sql`select from jobs where id = ${request.jobId} for update`);
      return claim(tx, request);
    });
