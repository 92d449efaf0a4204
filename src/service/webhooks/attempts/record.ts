import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
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

/**
 * Makes a function that adds the attempt to the delivery and runs `change`, both in one statement.
 */
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
 * Makes the condition that the endpoint is enabled and still has the address of the attempt. The
 * condition is false if the endpoint was changed or disabled after the attempt began.
 */
const sameEndpoint = ({ endpointId, url }: Tried) =>
  sql`id = ${endpointId} and url = ${url} and enabled`;

/**
 * Records a success. Writes the endpoint's row only if the row changes, because all deliveries to
 * the endpoint share this row.
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
 * Records a failure. Notes the time of the first failure of the endpoint. If the endpoint has
 * failed for too long, disables the endpoint and ends its open resend.
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
 * pause. We lock the row of the endpoint before the pause. If the endpoint was changed before our
 * lock, we see the change. A later change waits for our commit. So no pause outlives a deleted
 * endpoint or an old address.
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
