import { act, offerFreeSlots } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { WaitlistStrategy } from 'rowlock/lab/chapters/waitlist/strategy.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

/** Right: PostgreSQL lets one of two requests fail that disturb each other, and it tries again. */
const change: WaitlistStrategy['change'] = async (db, request) => {
  for (;;)
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
      if (databaseError(error)?.code !== SQLSTATE.serializationFailure) throw error;
    }
};
export default change;
