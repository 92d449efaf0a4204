import { sql } from 'drizzle-orm';
import type { Transaction } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
import { enqueue } from '../../queue/enqueue.ts';
import { deliveringTask } from '../attempts/task.ts';
import { deliveries } from '../tables.ts';
import { TEST_TYPE, testMessageOf } from './messages.ts';

export interface NewDelivery {
  endpointId: bigint;
  type: string;
  body: string;
}

/** Adds deliveries and the tasks that send them. Returns the ids of the deliveries. */
export async function makeDeliveries(
  tx: Transaction,
  wanted: readonly NewDelivery[],
): Promise<bigint[]> {
  const ids = await reserveIds(tx, wanted.length);
  const rows = wanted.map((each, index) => ({ ...each, id: ids[index] ?? 0n }));
  const taskIds = await enqueue(tx, rows.map(deliveringTask));
  const values = rows.map(({ id, endpointId, type, body }, index) => ({
    id: String(id),
    endpoint_id: String(endpointId),
    type,
    body,
    task_id: String(taskIds[index]),
  }));
  await tx.execute(sql`
    insert into ${deliveries} (id, endpoint_id, type, body, task_id)
    select id, endpoint_id, type, body, task_id
    from jsonb_to_recordset(${JSON.stringify(values)}::text::jsonb)
      as made (id bigint, endpoint_id bigint, type text, body text, task_id bigint)`);
  return ids;
}

/** Adds the delivery of a test message. Returns its id. */
export async function makeTestDelivery(tx: Transaction, endpointId: bigint): Promise<bigint> {
  const [{ at } = {}] = await tx.execute<{ at: string }>(sql`select ${NOW} as at`);
  const body = testMessageOf(new Date(at ?? 0), endpointId);
  const [id = 0n] = await makeDeliveries(tx, [{ endpointId, type: TEST_TYPE, body }]);
  return id;
}

/**
 * Takes ids for deliveries from the sequence before the rows exist. A task names its delivery and a
 * delivery names its task, so one of the two ids must be known first.
 */
async function reserveIds(tx: Transaction, howMany: number): Promise<bigint[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    select nextval(pg_get_serial_sequence('webhook_deliveries', 'id')) as id
    from generate_series(1, ${howMany}::int)`);
  return rows.map(({ id }) => BigInt(id));
}
