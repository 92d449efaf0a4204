import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import type { Transaction } from '../../../../src/platform/db/client.ts';
import { connectionLost } from '../../../../src/platform/db/failure.ts';
import { openSession } from '../../../../src/platform/db/session.ts';
import { restAfter } from '../../../../src/platform/waiting/rest.ts';
import type { Attempt } from '../../../../src/service/queue/kind.ts';
import type { WorkerEvent } from '../../../../src/service/queue/worker/worker.ts';
import { done, makeQueue, makeWorker, signal } from '../../../support/queue.ts';

const soon = { timeout: 40_000 };

describe.concurrent('a worker', () => {
  test('finds tasks that other processes have added, although nobody wakes the worker', async () => {
    const { db, add } = await makeQueue();
    const { ends } = await makeWorker(db, done);
    await add({}, {}, {});
    await vi.waitFor(() => expect(ends()).toEqual(['done', 'done', 'done']), soon);
  });

  test('writes all other outcomes if the statements of one `also` take too long', async () => {
    const { db, add, row } = await makeQueue();
    const also = async (tx: Transaction) => {
      await tx.execute(sql`set local statement_timeout = 100`);
      await tx.execute(sql`select pg_sleep(60)`);
    };
    const { ends, errors } = await makeWorker(db, async ({ payload }) =>
      payload === 'slow' ? { kind: 'done', also } : { kind: 'done', also: async () => undefined },
    );
    const [slow] = await add({ payload: 'slow' });
    await vi.waitFor(() => expect(errors).toHaveLength(1), soon);
    await add({}, {}, {});
    await vi.waitFor(() => expect(ends()).toEqual(['done', 'done', 'done']), soon);
    expect(await row(slow)).toMatchObject({ ended: null, attempt: 1 });
    expect(errors).toEqual([expect.objectContaining({ event: 'an outcome could not be written' })]);
  });

  test('still runs new tasks when more attempts hang than the worker has slots', async () => {
    const { db, add, row } = await makeQueue();
    const hangs = ({ payload }: Attempt) => (payload as { hangs: boolean }).hangs;
    const { worker, ends } = await makeWorker(
      db,
      (attempt) => (hangs(attempt) ? new Promise<never>(() => undefined) : done()),
      { places: 2 },
    );
    for (let n = 0; n < 5; n++) await add({ lane: `a${n}`, payload: { hangs: true } });
    const [last] = await add({ lane: 'b', payload: { hangs: false } });
    worker.wake();
    await vi.waitFor(() => expect(ends()).toEqual(['done']), soon);
    expect(await row(last)).toMatchObject({ ended: 'done' });
    expect(worker.load()).toEqual({ running: 5, places: 2 });
  });

  test('rests for its full time between two claims if its process answers requests', async () => {
    const { db, add } = await makeQueue();
    await add(...Array.from({ length: 6 }, () => ({})));
    const claims: { beganAt: number; endedAt: number }[] = [];
    const observe = (event: WorkerEvent) => {
      const endedAt = performance.now();
      if (event.kind === 'claimed' && event.tasks > 0)
        claims.push({ beganAt: endedAt - event.seconds * 1_000, endedAt });
    };
    await makeWorker(db, done, { places: 1, requestsFirst: true, observe });
    await vi.waitFor(() => expect(claims).toHaveLength(6), soon);
    for (const [index, { beganAt }] of claims.slice(1).entries()) {
      const before = claims[index] as (typeof claims)[number];
      const restMs = beganAt - before.endedAt;
      // A timer may be up to two milliseconds early.
      expect(restMs + 2).toBeGreaterThan(restAfter(before.endedAt - before.beganAt));
    }
  });

  test('reports that the worker must end if a failover has lost the row of the worker', async () => {
    const { db } = await makeQueue();
    const { worker } = await makeWorker(db, done, { name: 'one' });
    await db.execute(sql`delete from workers`);
    await expect(worker.leaving).rejects.toThrow('or the database has lost this worker.');
  });
});

describe.concurrent('losing a task', () => {
  test('to another worker makes the attempt write nothing, even if the attempt ends later', async () => {
    const { db, add, claim, row, endLeases } = await makeQueue();
    const began = signal();
    const goOn = signal();
    const also = vi.fn();
    const { worker, ends } = await makeWorker(db, async () => {
      began.tell();
      await goOn.told;
      return { kind: 'done', also };
    });
    const [id] = await add({});
    worker.wake();
    await began.told;
    await endLeases();
    // The claim of the other worker has raised the number of the attempt. So the fence refuses the
    // outcome of the first attempt.
    expect(await claim({ workerId: 99n })).toMatchObject([{ id, attempt: 2 }]);
    goOn.tell();
    await vi.waitFor(() => expect(ends()).toEqual(['lost']), soon);
    expect(also).not.toHaveBeenCalled();
    expect(await row(id)).toMatchObject({ ended: null, attempt: 2, worker_id: '99' });
  });
});

describe.concurrent('a lost connection', () => {
  test('that happens again and again is logged once, and the worker goes on afterwards', async () => {
    const sound = await makeQueue();
    let isDown = false;
    let statements = 0;
    const open: typeof openSession = (settings, codecs) => {
      const session = openSession(settings, codecs);
      return {
        ...session,
        async run(statement) {
          if (!isDown) return session.run(statement);
          statements++;
          await session.close(0);
          throw connectionLost();
        },
      };
    };
    const { db } = await makeQueue(sound.url, { open });
    const { ends, errors, worker } = await makeWorker(db, done);
    isDown = true;
    await vi.waitFor(() => expect(statements).toBeGreaterThan(5), soon);
    isDown = false;
    expect(errors.map(({ event }) => event)).toEqual(['the worker cannot use the database']);
    await sound.add({});
    worker.wake();
    await vi.waitFor(() => expect(ends()).toEqual(['done']), soon);
  });
});
