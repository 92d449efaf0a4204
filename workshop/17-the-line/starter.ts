import { act, lockJob, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { LineRequest, Outcome } from 'rowlock/lab/chapters/waitlist/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Does what a request asks for, and offers each free slot to the first in line. */
export default async function change(db: Database, request: LineRequest): Promise<Outcome> {
  // A recruiter who joins takes no slot, so this needs no lock.
  if (request.kind === 'join') return act(db, request);
  const outcome = await db.transaction(async (tx) => {
    await lockJob(tx, request);
    return act(tx, request);
  });
  await db.transaction(async (tx) => {
    await lockJob(tx, request);
    await offerFreeSlots(tx, request);
  });
  return outcome;
}
