import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { compiled } from '../../platform/db/compiled.ts';
import { byTask, HELD, type Hold, LEASE_END, stillHeld } from './held.ts';
import { tasks } from './tables.ts';

export interface Renewal {
  renewed: Set<bigint>;
  /** The ids of the tasks that the attempts do not hold any more. */
  lost: Set<bigint>;
}

const RENEW = compiled(sql`
  with ${HELD},
  ours as (
    select id from ${tasks} where ${stillHeld} for no key update skip locked
  ),
  renewed as (
    update ${tasks} set lease_until = ${LEASE_END}
    where id = any(array(select id from ours))
    returning id
  )
  select id, id in (select id from renewed) as renewed from ${tasks} where ${stillHeld}`);

/**
 * Renews the leases of these attempts.
 *
 * A task that another session has locked is neither renewed nor lost. The next heartbeat tries
 * again. The statement does not wait for locks. So the statement cannot deadlock with the writer of
 * outcomes, which locks the same tasks in another order.
 */
export async function renewLeases(db: Database, holds: readonly Hold[]): Promise<Renewal> {
  if (holds.length === 0) return { renewed: new Set(), lost: new Set() };
  const rows = await db.execute<{ id: string; renewed: boolean }>(RENEW(byTask(holds)));
  const still = new Set(rows.map(({ id }) => BigInt(id)));
  return {
    renewed: new Set(rows.filter(({ renewed }) => renewed).map(({ id }) => BigInt(id))),
    lost: new Set(holds.map(({ id }) => id).filter((id) => !still.has(id))),
  };
}
