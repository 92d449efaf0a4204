import { sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { type Hold, holdRows, LEASE_END, ofHolds, stillHolds } from './held.ts';
import { tasks } from './tables.ts';

export interface Renewal {
  renewed: Set<bigint>;
  /** The tasks that the attempts do not hold any more. */
  lost: Set<bigint>;
}

/**
 * Renews the leases of these attempts.
 *
 * A task that another session has locked is neither renewed nor lost. The next heartbeat decides.
 * The statement does not wait for locks. So it cannot deadlock with the writer of outcomes, which
 * locks the same tasks in another order.
 */
export async function renewLeases(db: Database, holds: readonly Hold[]): Promise<Renewal> {
  if (holds.length === 0) return { renewed: new Set(), lost: new Set() };
  const rows = await db.execute<{ id: string; renewed: boolean }>(sql`
      with ${holdRows(holds)},
      ours as (
        select ${tasks.id} from ${tasks}, hold where ${ofHolds} and ${stillHolds}
        for no key update of ${tasks} skip locked
      ),
      renewed as (
        update ${tasks} set lease_until = ${LEASE_END}
        where id = any(array(select id from ours))
        returning id
      )
      select id, true as renewed from renewed
      union all
      select id, false from hold
      where id not in (select ${tasks.id} from ${tasks}, hold where ${ofHolds} and ${stillHolds})`);
  const idsOf = (renewed: boolean) =>
    new Set(rows.filter((row) => row.renewed === renewed).map(({ id }) => BigInt(id)));
  return { renewed: idsOf(true), lost: idsOf(false) };
}
