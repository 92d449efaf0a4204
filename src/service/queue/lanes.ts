import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { pausedLanes } from './tables.ts';

/**
 * Selects the end of the latest pause of a lane. This time may be in the past. The result is null
 * if nobody has paused the lane, or if somebody has ended the pause. We use a subselect, because
 * PostgreSQL does not turn this subselect into a join. A join could change the order of the lanes
 * in a claim.
 */
export const pausedUntil = (lane: SQL): SQL =>
  sql`(select until from ${pausedLanes} where ${pausedLanes}.lane = ${lane})`;

/**
 * Pauses a lane. No task of the lane is claimed until the end of the pause. Running attempts go on.
 * If the lane already has a pause that ends later, the later end stays. A pause writes no task. So
 * the waiting tasks lose no attempt, and a pause costs the same for any number of tasks.
 *
 * Call this function in the `also` of an outcome. Then an attempt that has lost its task pauses
 * nothing.
 */
export async function pauseLane(tx: Transaction, lane: string, pauseMs: number): Promise<void> {
  const until = sql`${NOW} + make_interval(secs => ${pauseMs / 1_000}::float)`;
  await tx
    .insert(pausedLanes)
    .values({ lane, until })
    .onConflictDoUpdate({
      target: pausedLanes.lane,
      set: { until: sql`greatest(${pausedLanes.until}, excluded.until)` },
    });
}

/** Ends the pause of a lane. */
export async function resumeLane(tx: Transaction, lane: string): Promise<void> {
  await tx.execute(sql`delete from ${pausedLanes} where lane = ${lane}`);
}
