import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import type { Transaction } from '../../../src/platform/db/client.ts';
import { connectionLost } from '../../../src/platform/db/failure.ts';
import { openSession } from '../../../src/platform/db/session.ts';
import { Poller } from '../../../src/service/operation/poller.ts';
import { cancelTask } from '../../../src/service/queue/intervene.ts';
import type { Attempt } from '../../../src/service/queue/kind.ts';
import { findTask, listWorkers } from '../../../src/service/queue/queries.ts';
import { LeaseLost } from '../../../src/service/queue/worker/attempt.ts';
import { whileHeld } from '../../support/locks.ts';
import { done, kindOf, makeQueue, makeWorker, signal } from '../../support/queue.ts';

const soon = { timeout: 20_000 };

describe.concurrent('a worker', () => {
  test('runs tasks, and records who ran them', async () => {
    const { db, add } = await makeQueue();
    const { worker, ends } = await makeWorker(db, done, { name: 'a worker' });
    const [id] = await add({ payload: { text: 'hello' } });
    worker.wake();
    await vi.waitFor(() => expect(ends()).toEqual(['done']), soon);
    expect(await findTask(db, id as bigint)).toMatchObject({
      status: 'done',
      payload: { text: 'hello' },
      attempts: [{ attempt: 1, workerId: worker.id, workerName: 'a worker', ended: 'done' }],
    });
  });

  test('runs a failed task again until no attempts are left, and the last error stays', async () => {
    const { db, add, row, ends: endsOf } = await makeQueue();
    const numbers: number[] = [];
    const { worker, ends } = await makeWorker(db, async ({ number }) => {
      numbers.push(number);
      throw new Error(`failure ${number}`);
    });
    const [id] = await add({ attempts: 3 });
    worker.wake();
    await vi.waitFor(() => expect(ends()).toEqual(['failed', 'failed', 'dead']), soon);
    expect(numbers).toEqual([1, 2, 3]);
    expect(await row(id)).toMatchObject({ ended: 'dead', error: 'Error: failure 3' });
    expect(await endsOf(id)).toEqual(['failed', 'failed', 'failed']);
  });

  test('that is idle claims only while a task is unfinished', async () => {
    const { db, add } = await makeQueue();
    const poller = new Poller(db);
    let polls = 0;
    const next = async () => {
      const polled = await poller.next();
      polls++;
      return polled;
    };
    const { events } = await makeWorker(db, done, { poller: { next } });
    const claims = () => events.filter(({ kind }) => kind === 'claimed').length;
    await vi.waitFor(() => expect(polls).toBe(2), soon);
    // The first claim shows that the worker can claim.
    expect(claims()).toBe(1);
    await add({ runAt: new Date(Date.now() + 3_600_000) });
    await vi.waitFor(() => expect(claims()).toBe(3), soon);
  });

  test('that is idle takes over a task whose lease has ended', async () => {
    const { db, add, claim, endLeases, row, ends } = await makeQueue();
    const [id] = await add({});
    await claim();
    const { worker, events } = await makeWorker(db, done);
    // The second claim is the first claim of an idle worker.
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(1), soon);
    await endLeases();
    await vi.waitFor(async () => expect((await row(id)).ended).toBe('done'), soon);
    expect(await ends(id)).toEqual(['lost']);
    expect(await row(id)).toMatchObject({ worker_id: String(worker.id) });
  });

  test('does not run a task again after a final failure', async () => {
    const { db, add, row } = await makeQueue();
    await makeWorker(db, async () => ({ kind: 'failed', error: 'gone', final: true }));
    const [id] = await add({ attempts: 9 });
    await vi.waitFor(async () => expect((await row(id)).ended).toBe('dead'), soon);
  });

  test('waits after a failure for the pause of the outcome, or else for the pause of the kind', async () => {
    const { db, add } = await makeQueue();
    const kind = {
      ...kindOf(async ({ payload }) => {
        const { pauseMs } = payload as { pauseMs?: number };
        return { kind: 'failed', error: 'no', pauseMs };
      }),
      pauseMs: ({ number }: { number: number }) => number * 1_000_000,
    };
    await add({}, { payload: { pauseMs: 5_000_000 } });
    await makeWorker(db, done, { kinds: [kind] });
    const pauses = async () => {
      const rows = await db.execute(sql`select extract(epoch from run_at - ended_at)::float as s
        from tasks join task_attempts on task_id = id order by id`);
      return rows.map(({ s }) => Number(s));
    };
    await vi.waitFor(async () => expect(await pauses()).toHaveLength(2), soon);
    expect(await pauses()).toEqual([1_000, 5_000]);
  });

  test('writes all other outcomes while the `also` of one outcome waits for a lock', async () => {
    const { db, url, add, row } = await makeQueue(undefined, { lockTimeoutMs: 200 });
    const also = async (tx: Transaction) => {
      await tx.execute(sql`select from jobs where id = 1 for update`);
    };
    const { ends, errors } = await makeWorker(db, async ({ payload }) =>
      payload === 'locked' ? { kind: 'done', also } : { kind: 'done', also: async () => undefined },
    );
    const [locked] = await whileHeld(url, 1, async ({ untilWaitedFor }) => {
      const ids = await add({ payload: 'locked' });
      await untilWaitedFor();
      await add({}, {}, {});
      await vi.waitFor(() => expect(ends()).toEqual(['done', 'done', 'done']), soon);
      expect(await row(ids[0])).toMatchObject({ ended: null });
      return ids;
    });
    await vi.waitFor(() => expect(ends()).toHaveLength(4), soon);
    expect(await row(locked)).toMatchObject({ ended: 'done', attempt: 1 });
    const event = 'an outcome could not be written';
    expect(errors).toEqual([expect.objectContaining({ event, task: 'work' })]);
  });

  // Two workers that took the lanes in different orders could deadlock.
  test('calls the `also` of outcomes that are written together in the order of their lanes', async () => {
    const { db, add } = await makeQueue();
    const goOn = signal();
    const begun: string[] = [];
    const written: string[] = [];
    const { worker, ends } = await makeWorker(db, async ({ payload }) => {
      const { lane } = payload as { lane: string };
      begun.push(lane);
      await goOn.told;
      // The attempts end in the opposite order, and in the same turn of the event loop.
      for (let turns = 0; turns < (lane === 'a' ? 2 : 0); turns++) await Promise.resolve();
      return { kind: 'done', also: async () => void written.push(lane) };
    });
    await add(...['a', 'b'].map((lane) => ({ lane, payload: { lane } })));
    worker.wake();
    await vi.waitFor(() => expect(begun).toHaveLength(2), soon);
    goOn.tell();
    await vi.waitFor(() => expect(ends()).toEqual(['done', 'done']), soon);
    expect(written).toEqual(['a', 'b']);
  });

  test('ends an attempt that takes too long, and ignores its late outcome', async () => {
    const { db, add, row } = await makeQueue();
    const late = signal<Attempt>();
    const goOn = signal();
    const kind = {
      ...kindOf(async (attempt) => {
        if (attempt.number > 1) return { kind: 'failed', error: 'again', final: true };
        late.tell(attempt);
        await goOn.told;
        return { kind: 'done' };
      }),
      timeoutMs: 50,
    };
    const { worker, ends } = await makeWorker(db, done, { kinds: [kind], places: 1 });
    const [id] = await add({});
    worker.wake();
    const attempt = await late.told;
    await vi.waitFor(() => expect(ends()).toEqual(['failed', 'dead']), soon);
    expect(attempt.signal.aborted).toBe(true);
    expect(() => attempt.assertHeld()).toThrow(LeaseLost);
    goOn.tell();
    await worker.stop(1_000);
    expect(await row(id)).toMatchObject({ ended: 'dead', error: 'again', attempt: 2 });
  });

  test('never runs more tasks of a lane than its limit, and never more tasks than its slots', async () => {
    const { db, add } = await makeQueue();
    const now = { all: 0, ofA: 0 };
    const most = { all: 0, ofA: 0 };
    const { worker, ends } = await makeWorker(
      db,
      async ({ payload }) => {
        const isA = (payload as { lane: string }).lane === 'a';
        now.all++;
        if (isA) now.ofA++;
        most.all = Math.max(most.all, now.all);
        most.ofA = Math.max(most.ofA, now.ofA);
        await new Promise(setImmediate);
        now.all--;
        if (isA) now.ofA--;
        return { kind: 'done' };
      },
      { places: 4, perLane: 2 },
    );
    for (const lane of ['a', 'b', 'c'])
      await add(...Array.from({ length: 20 }, () => ({ lane, payload: { lane } })));
    worker.wake();
    await vi.waitFor(() => expect(ends()).toHaveLength(60), soon);
    expect(most).toEqual({ all: 4, ofA: 2 });
  });

  test('gives each lane a quarter of the worker slots by default, and at least one slot', async () => {
    const { db, add } = await makeQueue();
    await add(...Array.from({ length: 9 }, () => ({})));
    const never = () => new Promise<never>(() => undefined);
    const { worker } = await makeWorker(db, never, { places: 8 });
    const { worker: small } = await makeWorker(db, never, { places: 2 });
    await vi.waitFor(() => {
      expect(worker.load()).toEqual({ running: 2, places: 8 });
      expect(small.load()).toEqual({ running: 1, places: 2 });
    }, soon);
  });
});

describe.concurrent('two workers', () => {
  // This test fails without the row lock or without the condition on the lease. It also fails if a
  // lease ends at once.
  test('never run the same task at the same time', async () => {
    const { db, add } = await makeQueue();
    const running = new Set<bigint>();
    const twice: bigint[] = [];
    let runs = 0;
    const run = async ({ taskId }: Attempt) => {
      if (running.has(taskId)) twice.push(taskId);
      running.add(taskId);
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 2));
      running.delete(taskId);
      return { kind: 'done' as const };
    };
    const workers = await Promise.all(
      Array.from({ length: 4 }, () => makeWorker(db, run, { places: 20, perLane: 20 })),
    );
    await add(...Array.from({ length: 1_000 }, () => ({})));
    for (const { worker } of workers) worker.wake();
    await vi.waitFor(() => expect(workers.flatMap(({ ends }) => ends())).toHaveLength(1_000), soon);
    expect(twice).toEqual([]);
    expect(runs).toBe(1_000);
  });

  test('cannot have the same name while both workers live', async () => {
    const { db } = await makeQueue();
    await makeWorker(db, done, { name: 'one' });
    await expect(makeWorker(db, done, { name: 'one' })).rejects.toThrow(
      /^A living worker has the name "one"\. .* its name is free in 1[45] s\.$/,
    );
  });

  test('cannot get the same name if twenty workers start at the same time', async () => {
    const { db } = await makeQueue();
    const starts = Array.from({ length: 20 }, () => makeWorker(db, done, { name: 'same' }));
    const results = await Promise.allSettled(starts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('can have the same name if the first worker has stopped, or if its lease has ended', async () => {
    const { db } = await makeQueue();
    const { worker } = await makeWorker(db, done, { name: 'one' });
    await worker.stop(0);
    const second = await makeWorker(db, done, { name: 'one' });
    await db.execute(sql`update workers set lease_until = statement_timestamp()`);
    const third = await makeWorker(db, done, { name: 'one' });
    const rows = await listWorkers(db, { limit: 10 });
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      [third.worker.id, 'living'],
      [second.worker.id, 'stopped'],
      [worker.id, 'stopped'],
    ]);
    // The second worker lives, but another worker has its name. The second worker notices this at
    // its heartbeat.
    await expect(second.worker.leaving).rejects.toThrow('Another worker has the name "one" now');
  });
});

describe.concurrent('stopping', () => {
  test('waits for running attempts, and claims no more tasks', async () => {
    const { db, add, row } = await makeQueue();
    const began = signal();
    const goOn = signal();
    const { worker } = await makeWorker(db, async () => {
      began.tell();
      await goOn.told;
      return { kind: 'done' };
    });
    const [first] = await add({});
    worker.wake();
    await began.told;
    const stopped = worker.stop(20_000);
    const [second] = await add({});
    goOn.tell();
    await stopped;
    expect(await row(first)).toMatchObject({ ended: 'done' });
    expect(await row(second)).toMatchObject({ attempt: 0 });
    expect(await listWorkers(db, { limit: 1 })).toMatchObject([{ status: 'stopped' }]);
  });

  test('aborts attempts that do not end in time, and gives their tasks back', async () => {
    const { db, add, row, claim } = await makeQueue();
    const began = signal<Attempt>();
    const { worker, ends } = await makeWorker(db, (attempt) => {
      began.tell(attempt);
      return new Promise(() => undefined);
    });
    const [id] = await add({ attempts: 1 });
    worker.wake();
    const attempt = await began.told;
    await worker.stop(10);
    expect(attempt.signal.aborted).toBe(true);
    expect(ends()).toEqual(['given back']);
    expect(await row(id)).toMatchObject({ lease_until: null, attempts_left: 1, attempt: 1 });
    expect(await claim()).toMatchObject([{ id, attempt: 2 }]);
  });
});

describe.concurrent('losing a task', () => {
  test('by a cancellation aborts the attempt, and neither the outcome nor `also` is written', async () => {
    const { db, add, row } = await makeQueue();
    const began = signal<Attempt>();
    const also = vi.fn();
    const { worker, ends } = await makeWorker(db, async (attempt) => {
      began.tell(attempt);
      await new Promise((resolve) => attempt.signal.addEventListener('abort', resolve));
      return { kind: 'done', also };
    });
    const [id] = await add({});
    worker.wake();
    const attempt = await began.told;
    expect(await cancelTask(db, id as bigint)).toEqual({ kind: 'cancelled' });
    await vi.waitFor(() => expect(ends()).toEqual(['lost']), soon);
    expect(() => attempt.assertHeld()).toThrow(LeaseLost);
    await worker.stop(1_000);
    expect(also).not.toHaveBeenCalled();
    expect(await row(id)).toMatchObject({ ended: 'cancelled' });
    expect((await findTask(db, id as bigint))?.attempts).toMatchObject([{ ended: 'cancelled' }]);
  });

  // In memory, the later attempt replaces the earlier attempt. No other code would abort the
  // earlier attempt.
  test('to a new attempt of the same worker aborts the earlier attempt', async () => {
    const { db, add, endLeases } = await makeQueue();
    const attempts: Attempt[] = [];
    const { worker, ends } = await makeWorker(db, (attempt) => {
      attempts.push(attempt);
      return new Promise(() => undefined);
    });
    await add({});
    worker.wake();
    await vi.waitFor(() => expect(attempts).toHaveLength(1), soon);
    await endLeases();
    worker.wake();
    await vi.waitFor(() => expect(attempts).toHaveLength(2), soon);
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(() => attempts[0]?.assertHeld()).toThrow(LeaseLost);
    expect(ends()).toEqual(['lost']);
    await vi.waitFor(() => expect(worker.load().running).toBe(1), soon);
  });

  // The answers to a COMMIT and to a claim come on different connections, so either may come first.
  test('is not reported if the outcome was written, but the answer to its COMMIT comes late', async () => {
    const sound = await makeQueue();
    const isClaimedAgain = signal();
    const open: typeof openSession = (settings, codecs) => {
      const session = openSession(settings, codecs);
      let hasFailed = false;
      const run: typeof session.run = async (statement) => {
        const answer = await session.run(statement);
        hasFailed ||= /'failed'/.test(statement.text);
        if (hasFailed && statement.text === 'commit') await isClaimedAgain.told;
        return answer;
      };
      return { ...session, run };
    };
    const { db } = await makeQueue(sound.url, { open });
    const { worker, ends } = await makeWorker(db, async ({ number }) => {
      if (number === 1) return { kind: 'failed', error: 'no' };
      isClaimedAgain.tell();
      return { kind: 'done' };
    });
    const [id] = await sound.add({});
    worker.wake();
    await vi.waitFor(() => expect(ends().toSorted()).toEqual(['done', 'failed']), soon);
    expect(await sound.ends(id)).toEqual(['failed']);
  });

  test('does not happen to a living worker, because its heartbeats renew the lease', async () => {
    const { db, add, claim, row } = await makeQueue();
    const { worker } = await makeWorker(db, () => new Promise(() => undefined));
    const [id] = await add({});
    worker.wake();
    const lease = async () => String((await row(id)).lease_until);
    await vi.waitFor(async () => expect(await lease()).not.toBe('null'), soon);
    const first = await lease();
    await vi.waitFor(async () => expect((await lease()) > first).toBe(true), soon);
    expect(await claim()).toEqual([]);
    expect(worker.isAbleToRenew()).toBe(true);
    // The heartbeat writes the worker's row after it has renewed the leases.
    const listed = () => listWorkers(db, { limit: 1 });
    await vi.waitFor(
      async () => expect(await listed()).toMatchObject([{ holds: [String(id)] }]),
      soon,
    );
  });
});

describe.concurrent('a lost connection', () => {
  /**
   * Makes a queue that loses a connection once: a statement that matches `fits` is committed, but
   * its answer does not arrive.
   */
  async function makeLossy(fits: RegExp) {
    let isLost = false;
    let isArmed = false;
    const sound = await makeQueue();
    const open: typeof openSession = (settings, codecs) => {
      const session = openSession(settings, codecs);
      let isNext = false;
      let isInTransaction = false;
      const run: typeof session.run = async (statement) => {
        const answer = await session.run(statement);
        if (statement.text.startsWith('begin')) isInTransaction = true;
        if (statement.text === 'commit') isInTransaction = false;
        if (!isArmed || isLost) return answer;
        isNext ||= fits.test(statement.text);
        if (!isNext || isInTransaction) return answer;
        isLost = true;
        await session.close(0);
        throw connectionLost();
      };
      return { ...session, run };
    };
    const { db } = await makeQueue(sound.url, { open });
    return {
      ...sound,
      lossy: db,
      arm: () => {
        isArmed = true;
      },
      isLost: () => isLost,
    };
  }

  test('at the commit of an outcome makes the worker write the outcome again, without harm', async () => {
    const { lossy, add, row, arm, isLost } = await makeLossy(/ended = 'done'/);
    arm();
    const { worker, ends, errors } = await makeWorker(lossy, done);
    const [id] = await add({});
    worker.wake();
    await vi.waitFor(() => expect(ends()).toEqual(['unknown']), soon);
    expect(isLost()).toBe(true);
    expect(await row(id)).toMatchObject({ ended: 'done', attempt: 1 });
    expect(errors).toHaveLength(1);
  });

  // COMMIT may wait for a synchronous standby. During this wait, it keeps the lock of the task.
  test('during a slow commit gives the result `unknown`, even if a lock refuses the second write', async () => {
    const sound = await makeQueue();
    const refused = signal();
    const committed = signal();
    let isLost = false;
    const open: typeof openSession = (settings, codecs) => {
      const session = openSession(settings, codecs);
      let isOutcome = false;
      let isOurs = true;
      const run: typeof session.run = async (statement) => {
        isOutcome ||= /ended = 'done'/.test(statement.text);
        if (isLost || !isOutcome || statement.text !== 'commit') return session.run(statement);
        isLost = true;
        isOurs = false;
        const late = refused.told.then(() => session.run(statement));
        late.then(() => session.close(0)).then(() => committed.tell());
        throw connectionLost();
      };
      return { ...session, run, isAlive: () => isOurs && session.isAlive() };
    };
    const { db } = await makeQueue(sound.url, { open, lockTimeoutMs: 200 });
    // With `also`, the outcome takes several statements, so the worker sends a COMMIT.
    const also = () => Promise.resolve();
    const { worker, ends, errors } = await makeWorker(db, async () => ({ kind: 'done', also }));
    const [id] = await sound.add({});
    worker.wake();
    const event = 'an outcome could not be written';
    await vi.waitFor(() => expect(errors.map((each) => each.event)).toContain(event), soon);
    refused.tell();
    await committed.told;
    await vi.waitFor(() => expect(ends()).toEqual(['unknown']), soon);
    expect(await sound.row(id)).toMatchObject({ ended: 'done', attempt: 1 });
  });

  test('at the end of a claim makes the claimed tasks wait until their leases end', async () => {
    const {
      lossy,
      add,
      row,
      arm,
      isLost,
      endLeases,
      ends: endsOf,
    } = await makeLossy(/with recursive/);
    const [id] = await add({});
    arm();
    const { ends } = await makeWorker(lossy, done);
    await vi.waitFor(() => expect(isLost()).toBe(true), soon);
    expect(await row(id)).toMatchObject({ ended: null, attempt: 1 });
    await endLeases();
    await vi.waitFor(() => expect(ends()).toEqual(['done']), soon);
    expect(await row(id)).toMatchObject({ ended: 'done', attempt: 2 });
    expect(await endsOf(id)).toEqual(['lost']);
  });
});
