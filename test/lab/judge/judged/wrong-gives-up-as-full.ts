import { setTimeout } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { countClaims } from 'rowlock/lab/chapters/claims/count-claims.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';
import { insertClaim } from 'rowlock/service/claims/queries.ts';
import { type ClaimRequest, type Outcome, slotsOf } from 'rowlock/service/claims/rules.ts';
import { jobs } from 'rowlock/service/database/schema.ts';

const isLocked = (error: unknown) => databaseError(error)?.code === SQLSTATE.lockNotAvailable;

/** Wrong: after four attempts it says that the job is full. */
export default async (db: Database, request: ClaimRequest): Promise<Outcome> => {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await db.transaction(async (tx): Promise<Outcome> => {
        await tx
          .select({ id: jobs.id })
          .from(jobs)
          .where(eq(jobs.id, request.jobId))
          .for('update', { noWait: true });
        const decision = await countClaims(tx, request);
        if (decision.kind !== 'granted') return decision;
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      });
    } catch (error) {
      if (!isLocked(error)) throw error;
      await setTimeout(20);
    }
  }
  return { kind: 'full', slots: slotsOf(0, 0) };
};
