import { sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { events } from './tables.ts';

/**
 * Makes a function that removes events older than `days`. Each call examines the next `limit`
 * events, in the order of their ids, and returns how many of these events are old. If fewer than
 * `limit` events are old, the next call begins with the first id again.
 *
 * The newest event of a job stays as long as the job exists, because the next event takes its
 * number from the newest event. An index on `at` would find the old events without examining the
 * others. But the index would make every claim slower.
 */
export function removeOldEvents(days: number) {
  let after = 0n;
  return async (tx: Transaction, limit: number): Promise<number> => {
    const isOld = sql`at < ${NOW} - make_interval(days => ${days}::int)`;
    const [examined] = await tx.execute<{ last: string; old: number }>(sql`
      with examined as materialized (
        select id, job_id, number, kind, ${isOld} as is_old from ${events}
        where id > ${after} order by id limit ${limit}),
      removed as (
        delete from ${events} using examined
        where events.id = examined.id and is_old and (examined.kind = 'removed' or exists (
          select from ${events} as later
          where later.job_id = examined.job_id and later.number > examined.number)))
      select max(id) as last, (count(*) filter (where is_old))::int as old from examined`);
    const { last = '0', old = 0 } = examined ?? {};
    after = old === limit ? BigInt(last) : 0n;
    return old;
  };
}
