import { sql } from 'drizzle-orm';
import { anyOf } from '../../../platform/db/arrays.ts';
import type { Transaction } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
import { tasks } from '../../queue/tables.ts';
import { deliveries } from '../tables.ts';

/**
 * The maximum time that a delivery waits after its latest send or resend. All attempts take a
 * little more than three days. But a receiver can ask for a pause again and again. If some attempts
 * succeed, the endpoint stays enabled. Without this limit, the deliveries of such an endpoint would
 * pile up for ever.
 */
const LONGEST_WAIT = sql`interval '30 days'`;

/**
 * Makes a function that removes deliveries older than `days` and their attempts. Each call examines
 * the next `limit` deliveries, in the order of their ids, and returns how many of these deliveries
 * are old. If fewer than `limit` deliveries are old, the next call begins with the first id again.
 *
 * An old delivery that still waits is not removed until its task is 30 days old. A company can
 * resend old deliveries, so many old deliveries may wait. The waiting deliveries do not delay the
 * removal of the others. The task of a removed delivery finds no delivery, and ends without
 * sending. Ids and times grow together, so no index on the time is needed.
 */
export function removeOldDeliveries(days: number) {
  let after = 0n;
  return async (tx: Transaction, limit: number): Promise<number> => {
    const examined = await tx.execute<{ id: string; is_old: boolean }>(sql`
      select id, created_at < ${NOW} - make_interval(days => ${days}::int) as is_old
      from ${deliveries} where id > ${after} order by id limit ${limit} for update skip locked`);
    const old = examined.filter(({ is_old }) => is_old).map(({ id }) => BigInt(id));
    // The second statement has a newer snapshot than the first statement. So the second statement
    // sees the task of a resend that was committed just before the lock.
    await tx.execute(sql`
      delete from ${deliveries} where ${anyOf(deliveries.id, old)}
        and not exists (select from ${tasks}
          where ${tasks.id} = ${deliveries.taskId} and ${tasks.finishedAt} is null
            and ${tasks.createdAt} > statement_timestamp() - ${LONGEST_WAIT})`);
    after = old.length === limit ? (old.at(-1) ?? 0n) : 0n;
    return old.length;
  };
}
