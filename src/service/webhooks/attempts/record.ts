import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../db/client.ts';
import { NOW } from '../../db/clock.ts';
import { pauseLane } from '../../queue/lanes.ts';
import { LONGEST_FAILURE } from '../endpoints/endpoints.ts';
import { laneOf } from '../endpoints/lane.ts';
import { deliveries, deliveryAttempts, endpoints } from '../tables.ts';

/** An attempt that has ended. */
export interface Tried {
  deliveryId: bigint;
  endpointId: bigint;
  /** The address of the attempt. The endpoint may have another address by now. */
  url: string;
  at: Date;
  milliseconds: number;
  status: number | null;
  detail: string;
}

type Also = (tx: Transaction) => Promise<void>;

/** Adds the attempt to the delivery, in the same statement as the other changes. */
const recording =
  (tried: Tried, change: SQL): Also =>
  async (tx) => {
    const { deliveryId, at, milliseconds, status, detail } = tried;
    await tx.execute(sql`
      with recorded as (
        insert into ${deliveryAttempts} (delivery_id, at, milliseconds, status, detail)
        select id, ${at.toISOString()}::timestamptz, ${milliseconds}::int, ${status}::int, ${detail}
        from ${deliveries} where id = ${deliveryId}
      )
      ${change}`);
  };

/**
 * True if the endpoint is enabled and still has the address of the attempt. Otherwise the endpoint
 * was changed or disabled after the attempt began.
 */
const sameEndpoint = ({ endpointId, url }: Tried) =>
  sql`id = ${endpointId} and url = ${url} and enabled`;

/**
 * The endpoint's row is written only if it changes, because all deliveries to the endpoint share
 * this row.
 */
export const recordSuccess = (tried: Tried): Also =>
  recording(
    tried,
    sql`, delivered as (
        update ${deliveries} set delivered_at = ${NOW} where id = ${tried.deliveryId}
      )
      update ${endpoints} set failing_since = null
      where id = ${tried.endpointId} and failing_since is not null`,
  );

/**
 * Notes the first failure of the endpoint. Disables the endpoint if it has failed for too long. Then
 * its open resend ends too.
 */
export const recordFailure = (tried: Tried): Also =>
  recording(
    tried,
    sql`update ${endpoints} set failing_since = coalesce(failing_since, ${NOW}),
        enabled = failing_since is null,
        disabled_because = case when failing_since is not null then 'failing' end,
        resend_task_id = case when failing_since is null then resend_task_id end
      where ${sameEndpoint(tried)}
        and (failing_since is null or failing_since + ${LONGEST_FAILURE} <= ${NOW})`,
  );

/**
 * Records the failure, and pauses all messages to the endpoint, because its receiver asked for a
 * pause. A change of the endpoint either comes before our lock, and we see the change, or waits for
 * our commit. So no pause outlives a deleted endpoint or an old address.
 */
export const recordPause =
  (tried: Tried, pauseMs: number): Also =>
  async (tx) => {
    await recordFailure(tried)(tx);
    const locked = await tx.execute(sql`
      select from ${endpoints} where ${sameEndpoint(tried)} for no key update`);
    if (locked.length > 0) await pauseLane(tx, laneOf(tried.endpointId), pauseMs);
  };

/**
 * Disables the endpoint, because its receiver wants no more messages. Its open resend ends too.
 */
export const recordGone = (tried: Tried): Also =>
  recording(
    tried,
    sql`update ${endpoints} set enabled = false, disabled_because = 'gone',
        failing_since = coalesce(failing_since, ${NOW}), resend_task_id = null
      where ${sameEndpoint(tried)}`,
  );
