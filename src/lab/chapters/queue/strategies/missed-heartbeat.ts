import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../../../platform/db/client.ts';
import { finish } from '../finish.ts';
import type { QueueStrategy, Worker } from '../strategy.ts';
import { permits, tasks } from '../tables.ts';
import { leaseEnd } from '../take-lease.ts';

/**
 * Marks the tasks of workers without a heartbeat as failed, and takes a due task. But a worker
 * without a heartbeat may be alive, and finish its task too.
 *
 * Published bug: Solid Queue before 1.5 failed the tasks of a process that missed its heartbeat. A
 * process that still lived could finish such a task at the same time. The process then deleted a
 * claim that was deleted already. The second deletion was no error, so the task was both failed and
 * finished:
 * https://github.com/rails/solid_queue/issues/589
 * Our model: the claim is the status of the task, and the heartbeat is a lease. The statement that
 * claims a task also fails the tasks of missing workers.
 * Counterexample (slow): S1 takes task 1. Time passes. S2 fails the task. S1 sends and finishes the
 * task.
 */
export const missedHeartbeat: QueueStrategy = {
  name: 'missed-heartbeat',
  idea: 'fail the tasks of workers that seem dead',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    const [task] = await db.execute<{ failed: number; claimed: number | null }>(sql`
      with ${failMissing}, claimed as (${claimDue(worker)} returning id)
      select (select count(*)::int from failed) as failed, (select id from claimed) as claimed`);
    if (!task?.claimed) return { kind: 'idle' };
    await worker.send(task.claimed);
    // THE GAP: writes the outcome, even if the task has an outcome already.
    await finish(db, task.claimed);
    return { kind: 'done' };
  },
};

/**
 * A task runs only with a permit, and there is one permit. Each end of a task frees a permit. A
 * task that ends twice frees two permits.
 *
 * Published bug: Solid Queue before 1.5 freed the permit of a task whose process missed its
 * heartbeat. If the process lived, it freed the same permit again at the end of the task. Later,
 * more tasks ran at the same time than the limit allowed:
 * https://github.com/rails/solid_queue/pull/761
 * Our model: a row has the number of free permits, without a maximum. Solid Queue checked a maximum
 * when it freed one permit. It checked no maximum when it freed many permits together. If our model
 * had a maximum, we would need a third worker to see the fault.
 * Counterexample (slow): S1 takes the permit and task 1. Time passes. S2 fails task 1 and frees the
 * permit. S1 finishes task 1 and frees the permit again.
 */
export const permitFreedTwice: QueueStrategy = {
  name: 'permit-freed-twice',
  file: 'missed-heartbeat',
  idea: 'a task needs a permit, and each end of the task frees it',
  promise: 'nothing',
  timed: true,
  async work(db, worker) {
    const task = await db.transaction((tx) => claimWithPermit(tx, worker));
    // No permit is free, or nothing is due.
    if (!task) return { kind: 'full' };
    await worker.send(task.id);
    // THE GAP: frees our permit, even if another worker has freed it already.
    await db.execute(sql`
      with done as (update ${tasks} set status = 'done' where id = ${task.id} returning id)
      update ${permits} set free = free + (select count(*) from done) returning free`);
    return { kind: 'done' };
  },
};

async function claimWithPermit(tx: Transaction, worker: Worker) {
  await tx.execute(sql`
    with ${failMissing}
    update ${permits} set free = free + (select count(*) from failed)
    where exists (select from failed) returning free`);
  const [task] = await tx.execute<{ id: number }>(sql`
    with permit as (
      update ${permits} set free = free - 1
      where free > 0 and exists (select from ${tasks} where status = 'due') returning id
    )
    ${claimDue(worker)} and exists (select from permit) returning id`);
  return task;
}

const failMissing: SQL = sql`
  failed as (
    update ${tasks} set status = 'failed' where status = 'running' and lease_until < now()
    returning id
  )`;

const claimDue = ({ name }: Worker): SQL => sql`
  update ${tasks} set status = 'running', worker = ${name}, lease_until = ${leaseEnd}
  where id = (select id from ${tasks} where status = 'due' order by id limit 1
    for update skip locked)`;
