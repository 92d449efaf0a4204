import {
  chargeInside,
  done,
  findKey,
  insertKey,
  running,
  storeReceipt,
} from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the transaction is right. But if a request fails, the memory still says `running`. The
 * client is told to ask again until the server restarts.
 */
export default async function handle(
  db: Database,
  request: ChargeRequest,
  server: Server,
): Promise<Answer> {
  const known = await server.memory.putIfAbsent<Answer>(request.key, running);
  if (known) return known;
  const answer = await db.transaction(async (tx) => {
    if (!(await insertKey(tx, request))) return done((await findKey(tx, request))?.receipt ?? null);
    const receipt = await chargeInside(tx, request);
    await storeReceipt(tx, request, receipt);
    return done(receipt);
  });
  await server.memory.set(request.key, answer);
  return answer;
}
