import { act, lockJob, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { LineRequest, Outcome } from 'rowlock/lab/chapters/waitlist/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Does what a request asks for, and offers each free slot to the first in line. */
export default async function change(db: Database, request: LineRequest): Promise<Outcome> {
  return db.transaction(async (tx) => {
    await lockJob(tx, request);
    const outcome = await act(tx, request);
    await offerFreeSlots(tx, request);
    return outcome;
  });
}
