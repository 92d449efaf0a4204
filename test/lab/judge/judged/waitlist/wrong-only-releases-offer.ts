import { act, lockJob, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { WaitlistStrategy } from 'rowlock/lab/chapters/waitlist/strategy.ts';

/** Wrong: a larger capacity and a declined offer also free a slot. Nobody gets this slot. */
const change: WaitlistStrategy['change'] = (db, request) =>
  db.transaction(async (tx) => {
    await lockJob(tx, request);
    const outcome = await act(tx, request);
    if (request.kind === 'release' || request.kind === 'clean up')
      await offerFreeSlots(tx, request);
    return outcome;
  });
export default change;
