import { act, lockJob, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { WaitlistStrategy } from 'rowlock/lab/chapters/waitlist/strategy.ts';

/** Wrong: a join takes no lock, since it changes no slot. */
const change: WaitlistStrategy['change'] = async (db, request) => {
  if (request.kind === 'join') return act(db, request);
  return db.transaction(async (tx) => {
    await lockJob(tx, request);
    const outcome = await act(tx, request);
    await offerFreeSlots(tx, request);
    return outcome;
  });
};
export default change;
