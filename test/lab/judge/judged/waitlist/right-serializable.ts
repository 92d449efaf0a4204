import { act, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { WaitlistStrategy } from 'rowlock/lab/chapters/waitlist/strategy.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

const ATTEMPTS = 10;

/** Right: if two requests disturb each other, PostgreSQL lets one fail. The failed request tries again. */
const change: WaitlistStrategy['change'] = async (db, request) => {
  for (let attempt = 1; ; attempt++)
    try {
      return await db.transaction(
        async (tx) => {
          const outcome = await act(tx, request);
          await offerFreeSlots(tx, request);
          return outcome;
        },
        { isolationLevel: 'serializable' },
      );
    } catch (error) {
      const isConflict = databaseError(error)?.code === SQLSTATE.serializationFailure;
      if (!isConflict || attempt === ATTEMPTS) throw error;
    }
};
export default change;
