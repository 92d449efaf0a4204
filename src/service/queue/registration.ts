import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { LEASE_END } from './held.ts';
import { workers } from './tables.ts';

export interface NewWorker {
  name: string;
  version: string;
  /** The names of the kinds of tasks that the worker can run. */
  kinds: readonly string[];
  places: number;
}

/**
 * Adds a worker, and returns its id. First marks dead workers as stopped, so their names are free.
 * Throws a `PlainError` if a living worker has the name.
 */
export const register = (
  db: Database,
  { name, version, kinds, places }: NewWorker,
): Promise<bigint> =>
  db.transaction(async (tx) => {
    await stopDeadWorkers(tx);
    const [added] = await tx.execute<{ id: string }>(sql`
      insert into ${workers} (name, version, kinds, places, started_at, seen_at, lease_until)
      values (${name}, ${version}, ${JSON.stringify(kinds)}::text::jsonb, ${places}, ${NOW}, ${NOW}, ${LEASE_END})
      on conflict (name) where stopped_at is null do nothing
      returning id`);
    if (added) return BigInt(added.id);
    const [living] = await tx.execute<{ seconds: number }>(sql`
      select ceil(extract(epoch from lease_until - ${NOW}))::int as seconds
      from ${workers} where name = ${name} and stopped_at is null`);
    throw new PlainError(
      `A living worker has the name "${name}". Choose another name, or wait: ` +
        `if the worker is dead, its name is free in ${Math.max(1, living?.seconds ?? 1)} s.`,
    );
  });

/** Selects the dead workers. A worker is dead when the lease of its latest heartbeat has ended. */
const DEAD = sql`select id from ${workers} where stopped_at is null and lease_until <= ${NOW}`;

/**
 * Marks dead workers as stopped. Every living worker looks for dead workers with each heartbeat, so
 * no dead worker keeps its name for long.
 */
export async function stopDeadWorkers(db: Database | Transaction): Promise<void> {
  await db.execute(sql`
    update ${workers} set stopped_at = ${NOW} where id = any(array(${DEAD} for update skip locked))`);
}

export interface Heartbeat {
  /** False if the worker is unknown, or if another worker has taken the name. */
  hasName: boolean;
  /** Whether any worker is dead, and nobody has marked it yet. */
  seesDead: boolean;
}

/**
 * Writes a heartbeat of the worker. Another worker may have marked this worker as stopped while
 * this process was frozen. The heartbeat removes the mark.
 */
export async function noteHeartbeat(
  db: Database,
  id: bigint,
  holds: readonly bigint[],
): Promise<Heartbeat> {
  const [row] = await db.execute<{ sees_dead: boolean }>(sql`
    update ${workers} as own set seen_at = ${NOW}, lease_until = ${LEASE_END}, stopped_at = null,
      holds = ${JSON.stringify(holds.map(String))}::text::jsonb
    where id = ${id} and not exists (select from ${workers} as other
      where other.name = own.name and other.id <> own.id and other.stopped_at is null)
    returning exists(${DEAD}) as sees_dead`);
  return { hasName: row !== undefined, seesDead: row?.sees_dead ?? false };
}

export async function noteStopped(db: Database, id: bigint): Promise<void> {
  await db.execute(
    sql`update ${workers} set stopped_at = ${NOW}, holds = '[]' where id = ${id} and stopped_at is null`,
  );
}
