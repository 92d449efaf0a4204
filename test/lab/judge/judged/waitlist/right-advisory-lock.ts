import { sql } from 'drizzle-orm';
import { act, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { WaitlistStrategy } from 'rowlock/lab/chapters/waitlist/strategy.ts';

/** Right: everybody locks the number of the job, and not its row. */
const change: WaitlistStrategy['change'] = (db, request) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${request.jobId})`);
    const outcome = await act(tx, request);
    await offerFreeSlots(tx, request);
    return outcome;
  });
export default change;
