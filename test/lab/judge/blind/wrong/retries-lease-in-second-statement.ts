import { and, eq, lt, sql } from 'drizzle-orm';
import {
  done,
  findKey,
  insertKey,
  running,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

const leaseUntil = sql`now() + interval '1 minute'`;

/**
 * Wrong: it inserts the key without a lease, and sets the lease after that. If the server dies in
 * between, the lease is null and never ends, so each repeat is told to ask again.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  server: Server,
): Promise<Answer> {
  const ofKey = eq(keys.key, request.key);
  if (await insertKey(db, request)) {
    await db.update(keys).set({ leaseUntil }).where(ofKey);
  } else {
    const taken = await db
      .update(keys)
      .set({ leaseUntil })
      .where(and(ofKey, eq(keys.status, 'pending'), lt(keys.leaseUntil, sql`now()`)))
      .returning({ key: keys.key });
    if (taken.length === 0) {
      const known = await findKey(db, request);
      return known?.status === 'done' ? done(known.receipt) : running;
    }
  }
  const receipt = await server.charge({ key: request.key });
  await storeReceipt(db, request, receipt);
  return done(receipt);
}
