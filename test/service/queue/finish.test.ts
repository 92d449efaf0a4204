import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import type { Transaction } from '../../../src/platform/db/client.ts';
import type { ClaimedTask } from '../../../src/service/queue/claim.ts';
import { finishDone, finishFailed, giveBack } from '../../../src/service/queue/finish.ts';
import { cancelTask } from '../../../src/service/queue/intervene.ts';
import type { AttemptOutcome } from '../../../src/service/queue/kind.ts';
import { renewLeases } from '../../../src/service/queue/renew.ts';
import { tasks } from '../../../src/service/queue/tables.ts';
import { HeldTask } from '../../../src/service/queue/worker/attempt.ts';
import {
  type Ended,
  OutcomeWriter,
  type Written,
} from '../../../src/service/queue/worker/outcomes.ts';
import { whileLocked } from '../../support/locks.ts';
import { done, holdOf, kindOf, makeQueue } from '../../support/queue.ts';

/** Makes two tasks that a worker has claimed. The second task is then lost to another worker. */
async function makeHalfLost() {
  const queue = await makeQueue();
  await queue.add({}, {});
  const [kept, lost] = (await queue.claim()) as [ClaimedTask, ClaimedTask];
  await queue.endLeases();
  const again = await queue.claim({ workerId: 2n });
  await giveBack(queue.db, again.filter(({ id }) => id === kept.id).map(holdOf));
  const [keptAgain] = (await queue.claim()) as [ClaimedTask];
  return { ...queue, kept: keptAgain, lost };
}

// Without `attempt` in the fence, the lost attempt finishes the task of the other worker.
test('an attempt that has lost its task writes no outcome, but the rest of its batch is written', async () => {
  const { db, kept, lost, row } = await makeHalfLost();
  const written = await db.transaction((tx) => finishDone(tx, [kept, lost].map(holdOf)));
  expect(written).toEqual(new Set([kept.id]));
  expect(await row(kept.id)).toMatchObject({ ended: 'done', lease_until: null });
  expect(await row(lost.id)).toMatchObject({ ended: null, attempt: 2 });
});

// After the wait, PostgreSQL checks the fence again on the row that the other session has
// committed.
test('an outcome that waits for the claim of another worker is not written after the wait', async () => {
  const { url, db, add, claim, row } = await makeQueue();
  await add({});
  const [task] = (await claim()) as [ClaimedTask];
  const claimAgain = `update tasks set attempt = attempt + 1, worker_id = 2 where id = ${task.id}`;
  const { writing } = await whileLocked(url, claimAgain, async ({ untilWaitedFor }) => {
    const writing = db.transaction((tx) => finishDone(tx, [holdOf(task)]));
    await untilWaitedFor();
    return { writing };
  });
  expect(await writing).toEqual(new Set());
  expect(await row(task.id)).toMatchObject({ ended: null, attempt: 2, worker_id: '2' });
});

test('an attempt that has lost its task writes no failure', async () => {
  const { db, kept, lost, row, ends } = await makeHalfLost();
  const failures = [kept, lost].map((task) => ({ ...holdOf(task), error: 'no', pauseMs: 0 }));
  const written = await db.transaction((tx) => finishFailed(tx, failures));
  expect(written).toEqual(new Set([kept.id]));
  expect(await row(lost.id)).toMatchObject({ error: null, attempt: 2 });
  expect(await ends(lost.id)).toEqual(['lost']);
});

test('an attempt that has lost its task can neither renew its lease nor give the task back', async () => {
  const { db, kept, lost, row } = await makeHalfLost();
  const before = await row(lost.id);
  expect(await renewLeases(db, [kept, lost].map(holdOf))).toEqual({
    renewed: new Set([kept.id]),
    lost: new Set([lost.id]),
  });
  await giveBack(db, [holdOf(lost)]);
  expect(await row(lost.id)).toEqual(before);
});

test.each(['done', 'failed', 'cancelled', 'given back'] as const)(
  'after a task is %s, its attempt can write nothing more',
  async (end) => {
    const { db, add, claim, row } = await makeQueue();
    await add({});
    const [task] = (await claim()) as [ClaimedTask];
    const hold = holdOf(task);
    const failure = { ...hold, error: 'no', pauseMs: 60_000 };
    if (end === 'done') await db.transaction((tx) => finishDone(tx, [hold]));
    if (end === 'failed') await db.transaction((tx) => finishFailed(tx, [failure]));
    if (end === 'cancelled') await cancelTask(db, task.id);
    if (end === 'given back') await giveBack(db, [hold]);
    const before = await row(task.id);
    expect(await db.transaction((tx) => finishDone(tx, [hold]))).toEqual(new Set());
    expect(await db.transaction((tx) => finishFailed(tx, [failure]))).toEqual(new Set());
    await giveBack(db, [hold]);
    expect((await renewLeases(db, [hold])).lost).toEqual(new Set([task.id]));
    expect(await row(task.id)).toEqual(before);
  },
);

test('a heartbeat does not wait for a locked task, and does not count this task as lost', async () => {
  const { url, db, add, claim } = await makeQueue();
  await add({}, {});
  const [locked, free] = (await claim()) as [ClaimedTask, ClaimedTask];
  const renewal = await whileLocked(
    url,
    `select from tasks where id = ${locked.id} for update`,
    () => renewLeases(db, [locked, free].map(holdOf)),
  );
  expect(renewal).toEqual({ renewed: new Set([free.id]), lost: new Set() });
});

test('a task that was given back is due immediately, and the attempt does not count', async () => {
  const { db, add, claim, ends } = await makeQueue();
  await add({ attempts: 1 });
  const [task] = (await claim()) as [ClaimedTask];
  await giveBack(db, [holdOf(task)]);
  expect(await claim()).toMatchObject([{ id: task.id, attempt: 2, attemptsLeft: 0 }]);
  expect(await ends(task.id)).toEqual(['given back']);
});

/** Writes outcomes with the worker's own writer, and returns how they were written. */
async function writeAll(
  queue: Awaited<ReturnType<typeof makeQueue>>,
  outcomes: { task: ClaimedTask; outcome: AttemptOutcome; askedAt?: number }[],
) {
  const written = new Map<bigint, Written>();
  const errors: unknown[] = [];
  const writer = new OutcomeWriter({
    db: queue.db,
    onWritten: ({ held }, how) => void written.set(held.taskId, how),
    onOutage: (error) => void errors.push(error),
    onRefused: (_, error) => void errors.push(error),
  });
  for (const { task, outcome, askedAt = performance.now() } of outcomes)
    writer.write({ held: new HeldTask(task, askedAt), kind: kindOf(done), outcome });
  await writer.isIdle();
  return { written, errors };
}

const renaming = (lane: string, id: bigint) => async (tx: Transaction) => {
  await tx.update(tasks).set({ lane }).where(eq(tasks.id, id));
};

test('`also` writes in the transaction of the outcome, and writes nothing for a lost task', async () => {
  const queue = await makeHalfLost();
  const { kept, lost, row } = queue;
  const { written } = await writeAll(queue, [
    { task: kept, outcome: { kind: 'done', also: renaming('kept', kept.id) } },
    { task: lost, outcome: { kind: 'done', also: renaming('lost', lost.id) } },
  ]);
  expect(written).toEqual(
    new Map([
      [kept.id, 'done'],
      [lost.id, 'lost'],
    ]),
  );
  expect(await row(kept.id)).toMatchObject({ lane: 'kept', ended: 'done' });
  expect(await row(lost.id)).toMatchObject({ lane: '', ended: null });
});

test('if `also` throws, its own attempt fails, but the rest of the batch is written', async () => {
  const queue = await makeQueue();
  await queue.add({}, {});
  const [bad, good] = (await queue.claim()) as [ClaimedTask, ClaimedTask];
  const throws = async () => {
    throw new Error('no room for the delivery');
  };
  const { written, errors } = await writeAll(queue, [
    { task: bad, outcome: { kind: 'done', also: throws } },
    { task: good, outcome: { kind: 'done', also: renaming('good', good.id) } },
  ]);
  expect(written).toEqual(
    new Map([
      [bad.id, 'failed'],
      [good.id, 'done'],
    ]),
  );
  expect(errors).toHaveLength(1);
  expect(await queue.row(bad.id)).toMatchObject({
    ended: null,
    error: 'the outcome could not be written: Error: no room for the delivery',
  });
  expect(await queue.row(good.id)).toMatchObject({ lane: 'good', ended: 'done' });
});

test('an outcome that arrives at the end of a write is written too', async () => {
  const queue = await makeQueue();
  for (let turns = 0; turns < 10; turns++) {
    await queue.add({}, {});
    const [first, second] = (await queue.claim()) as [ClaimedTask, ClaimedTask];
    const written: bigint[] = [];
    const endedOf = (task: ClaimedTask): Ended => ({
      held: new HeldTask(task, performance.now()),
      kind: kindOf(done),
      outcome: { kind: 'done' },
    });
    const writer = new OutcomeWriter({
      db: queue.db,
      onOutage: (error) => expect.fail(String(error)),
      onRefused: (_, error) => expect.fail(String(error)),
      async onWritten({ held }) {
        written.push(held.taskId);
        if (held.taskId !== first.id) return;
        for (let turn = 0; turn < turns; turn++) await undefined;
        writer.write(endedOf(second));
      },
    });
    writer.write(endedOf(first));
    await vi.waitFor(() => expect(written).toEqual([first.id, second.id]));
  }
});

test('an attempt whose lease has ended by the clock of its worker writes nothing', async () => {
  const queue = await makeQueue();
  await queue.add({});
  const [task] = (await queue.claim()) as [ClaimedTask];
  const askedAt = performance.now() - 15_000;
  const { written } = await writeAll(queue, [{ task, outcome: { kind: 'done' }, askedAt }]);
  expect(written.get(task.id)).toBe('lost');
  expect(await queue.row(task.id)).toMatchObject({ ended: null, attempt: 1 });
});

test('the text of an error is shortened, and loses characters that PostgreSQL cannot store', async () => {
  const queue = await makeQueue();
  await queue.add({});
  const [task] = (await queue.claim()) as [ClaimedTask];
  const error = `\0\uD800${'x'.repeat(1_000)}`;
  await writeAll(queue, [{ task, outcome: { kind: 'failed', error } }]);
  expect(await queue.row(task.id)).toMatchObject({ error: `\uFFFD${'x'.repeat(498)}` });
});
