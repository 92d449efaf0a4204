import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { done, findKey, running, storeReceipt } from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import { keys } from 'rowlock/lab/chapters/retries/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the provider gets a key, but each attempt makes a new one. If the server dies after the
 * charge, the attempt after the end of the lease charges again.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  server: Server,
): Promise<Answer> {
  const taken = await db
    .insert(keys)
    .values({ key: request.key, leaseUntil: sql`now() + interval '1 minute'` })
    .onConflictDoUpdate({
      target: keys.key,
      set: { leaseUntil: sql`excluded.lease_until` },
      setWhere: sql`${keys.status} = 'pending' and ${keys.leaseUntil} < now()`,
    })
    .returning({ key: keys.key });
  if (taken.length === 0) {
    const known = await findKey(db, request);
    return known?.status === 'done' ? done(known.receipt) : running;
  }
  const receipt = await server.charge({ key: `${request.key}-${randomUUID()}` });
  await storeReceipt(db, request, receipt);
  return done(receipt);
}
