import { and, asc, eq, gt, isNull, lte, max, sql } from 'drizzle-orm';
import { anyOf } from '../../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { retryConflicts } from '../../../platform/db/retry.ts';
import { enqueue } from '../../queue/enqueue.ts';
import { retryTask } from '../../queue/intervene.ts';
import type { TaskKind } from '../../queue/kind.ts';
import { tasks } from '../../queue/tables.ts';
import { deliveringTask } from '../attempts/task.ts';
import { laneOf } from '../endpoints/lane.ts';
import { deliveries, endpoints } from '../tables.ts';

/**
 * Sends messages again. A waiting task of a message becomes due now, and a running task goes on. A
 * message gets a new task if the old task has finished, or if the old task runs its last attempt.
 */
export async function resend(tx: Transaction, ids: readonly bigint[]): Promise<void> {
  const found = await tx
    .select({ id: deliveries.id, taskId: deliveries.taskId, openTaskId: tasks.id })
    .from(deliveries)
    .leftJoin(tasks, and(eq(tasks.id, deliveries.taskId), sql`${tasks.finishedAt} is null`))
    .where(anyOf(deliveries.id, ids))
    .orderBy(asc(deliveries.id));
  // We lock the tasks before the deliveries. The transaction that writes the outcome of an attempt
  // takes its locks in the same order, so it cannot deadlock with us.
  const taskIdOf = new Map<bigint, bigint>();
  for (const { id, taskId, openTaskId } of found)
    if (openTaskId === null || !(await isOpenStill(tx, openTaskId))) taskIdOf.set(id, taskId);
  const locked = await tx
    .select({ id: deliveries.id, endpointId: deliveries.endpointId, taskId: deliveries.taskId })
    .from(deliveries)
    .where(anyOf(deliveries.id, [...taskIdOf.keys()]))
    .orderBy(asc(deliveries.id))
    .for('no key update');
  // If a message now has another task, another session resent the message while we waited for the
  // lock.
  await sendAnew(
    tx,
    locked.filter(({ id, taskId }) => taskIdOf.get(id) === taskId),
  );
}

/**
 * Makes a waiting task due now. Returns false if the task was done before we had its lock, or if
 * its last attempt runs. If the last attempt failed, no attempt would follow.
 */
async function isOpenStill(tx: Transaction, taskId: bigint): Promise<boolean> {
  const retried = await retryTask(tx, taskId);
  return retried.kind === 'retried' || (retried.kind === 'running' && retried.attemptsLeft > 0);
}

async function sendAnew(tx: Transaction, ended: { id: bigint; endpointId: bigint }[]) {
  const taskIds = await enqueue(tx, ended.map(deliveringTask));
  const pairs = ended.map(({ id }, index) => ({ id: `${id}`, task_id: `${taskIds[index]}` }));
  await tx.execute(sql`
    update ${deliveries} set task_id = anew.task_id, delivered_at = null
    from jsonb_to_recordset(${JSON.stringify(pairs)}::text::jsonb)
      as anew (id bigint, task_id bigint)
    where ${deliveries.id} = anew.id`);
}

/** The kind of task that resends the messages of an endpoint since a time. */
const RESENDING = 'webhook-resend';
const ATTEMPTS = 10;
const PAUSE_MS = 10_000;
const TIMEOUT_MS = 30_000;
/**
 * The maximum number of messages that one task resends. A transaction with 200 messages takes
 * milliseconds.
 */
const BATCH = 200;
/**
 * The maximum number of deliveries that one task examines. A delivery from before `since` costs
 * only a read. When a task examined only 200 deliveries, a resend needed 51 s to skip 100,000
 * deliveries from before `since`.
 */
const MOST_EXAMINED = 5_000;

interface ResendPayload {
  endpointId: string;
  since: string;
  /** The deliveries after this id, up to the id `last`. */
  after: string;
  last: string;
}

/**
 * Returns true if a resend of all messages to this endpoint is open. A resend is not open if its
 * task is dead or cancelled. So a failed resend does not block the next resend.
 *
 * THE LOCK: the caller has locked the endpoint in an earlier statement. So this statement sees the
 * resend of every request that had the lock before.
 */
export async function isResendOpen(tx: Transaction, endpointId: bigint): Promise<boolean> {
  const [open] = await tx
    .select({ taskId: tasks.id })
    .from(endpoints)
    .innerJoin(tasks, eq(tasks.id, endpoints.resendTaskId))
    .where(and(eq(endpoints.id, endpointId), isNull(tasks.finishedAt)));
  return open !== undefined;
}

/**
 * Begins to resend all messages to an endpoint that were made since a time. Tasks do the work, one
 * batch each. Call this only if the endpoint is locked and no resend is open.
 */
export async function resendSince(tx: Transaction, endpointId: bigint, since: Date): Promise<void> {
  const [newest] = await tx
    .select({ id: max(deliveries.id) })
    .from(deliveries)
    .where(eq(deliveries.endpointId, endpointId));
  const payload: ResendPayload = {
    endpointId: String(endpointId),
    since: since.toISOString(),
    after: '0',
    last: String(newest?.id ?? 0n),
  };
  const [resendTaskId] = await enqueue(tx, [resendingTask(payload)]);
  await tx.update(endpoints).set({ resendTaskId }).where(eq(endpoints.id, endpointId));
}

const resendingTask = (payload: ResendPayload) => ({
  kind: RESENDING,
  lane: laneOf(BigInt(payload.endpointId)),
  payload,
  attempts: ATTEMPTS,
});

/**
 * Makes the kind of task that resends a batch of messages. The outcome adds the task for the next
 * batch.
 */
export const resending = (db: Database): TaskKind<ResendPayload> => ({
  name: RESENDING,
  timeoutMs: TIMEOUT_MS,
  pauseMs: () => PAUSE_MS,
  async run(attempt) {
    const { payload, taskId } = attempt;
    if (!(await isWantedStill(db, payload, taskId))) return { kind: 'done' };
    const examined = await nextDeliveries(db, payload);
    const wanted = examined.filter(({ isWanted }) => isWanted).map(({ id }) => id);
    const batch = wanted.slice(0, BATCH);
    attempt.assertHeld();
    await retryConflicts(() => db.transaction((tx) => resend(tx, batch)));
    const isWhole = batch.length === wanted.length;
    if (isWhole && examined.length < MOST_EXAMINED) return { kind: 'done' };
    const after = isWhole ? examined.at(-1)?.id : batch.at(-1);
    const next = resendingTask({ ...payload, after: String(after) });
    return {
      kind: 'done',
      also: async (tx) => {
        const [resendTaskId] = await enqueue(tx, [next]);
        await tx.update(endpoints).set({ resendTaskId }).where(isOfTask(payload, taskId));
      },
    };
  },
});

/** Makes the condition that this task is the task of the endpoint's latest resend. */
const isOfTask = ({ endpointId }: ResendPayload, taskId: bigint) =>
  and(eq(endpoints.id, BigInt(endpointId)), eq(endpoints.resendTaskId, taskId));

/**
 * Returns false if the endpoint was deleted or disabled, or if it has a later resend. An operator
 * may retry a dead task after another resend has begun.
 */
async function isWantedStill(db: Database, payload: ResendPayload, taskId: bigint) {
  return (await db.$count(endpoints, and(isOfTask(payload, taskId), endpoints.enabled))) > 0;
}

/**
 * Reads the next deliveries in the order of their ids. The ids are not exactly in the order of
 * time, so each delivery is compared with the time.
 */
const nextDeliveries = (db: Database, { endpointId, since, after, last }: ResendPayload) =>
  db
    .select({
      id: deliveries.id,
      isWanted: sql<boolean>`${deliveries.createdAt} >= ${since}::timestamptz`,
    })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.endpointId, BigInt(endpointId)),
        gt(deliveries.id, BigInt(after)),
        lte(deliveries.id, BigInt(last)),
      ),
    )
    .orderBy(asc(deliveries.id))
    .limit(MOST_EXAMINED);
