import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { finishDone, finishFailed } from '../../../src/service/queue/finish.ts';
import type { Hold } from '../../../src/service/queue/held.ts';
import { pauseLane, resumeLane } from '../../../src/service/queue/lanes.ts';
import { renewLeases } from '../../../src/service/queue/renew.ts';
import { whileLocked } from '../../support/locks.ts';
import { holdOf, makeQueue } from '../../support/queue.ts';
import { flushStatistics } from '../../support/statistics.ts';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

describe('a claim', () => {
  test('takes due tasks in the order in which they are due', async () => {
    const { add, claim } = await makeQueue();
    const [late, early, future] = await add(
      { runAt: inSeconds(-10) },
      { runAt: inSeconds(-20) },
      { runAt: inSeconds(60) },
    );
    const claimed = await claim();
    expect(claimed.map(({ id }) => id)).toEqual([early, late]);
    expect(claimed.map(({ id }) => id)).not.toContain(future);
    expect(claimed[0]).toMatchObject({ attempt: 1, attemptsLeft: 2, lane: '', kind: 'work' });
    expect(claimed[0]?.waitedSeconds).toBeGreaterThan(19);
  });

  test('keeps the order of tasks that were added together', async () => {
    const { add, claim } = await makeQueue();
    const ids = await add(...Array.from({ length: 50 }, (_, n) => ({ payload: { n } })));
    const claimed = await claim({ count: 50, perLane: 50 });
    expect(claimed.map(({ id }) => id)).toEqual(ids);
    expect(claimed.map(({ payload }) => payload)).toEqual(ids.map((_, n) => ({ n })));
  });

  test('takes each task once, and takes no tasks of unknown kinds', async () => {
    const { add, claim } = await makeQueue();
    const [known] = await add({}, { kind: 'unknown' });
    expect((await claim()).map(({ id }) => id)).toEqual([known]);
    expect(await claim()).toEqual([]);
    expect(await claim({ kinds: ['unknown'] })).toHaveLength(1);
  });

  // Without `for update skip locked`, the claim waits for the other session, and this test fails.
  test('skips tasks that another session has locked, and does not wait', async () => {
    const { url, add, claim } = await makeQueue();
    const [locked, free] = await add({}, {});
    const claimed = await whileLocked(
      url,
      `select from tasks where id = ${locked} for update`,
      async () => (await claim()).map(({ id }) => id),
    );
    expect(claimed).toEqual([free]);
  });

  // Without `for update skip locked`, two claims return the same task. The same happens without the
  // condition on the lease.
  test('takes no task that another claim takes at the same time', async () => {
    const { db, add, claim } = await makeQueue();
    for (let round = 0; round < 10; round++) {
      await db.execute(sql`delete from tasks`);
      await add(...Array.from({ length: 100 }, (_, n) => ({ lane: `lane ${n % 3}` })));
      const claims = Array.from({ length: 8 }, async () => [
        ...(await claim({ count: 10 })),
        ...(await claim({ count: 10 })),
      ]);
      const ids = (await Promise.all(claims)).flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test('returns as many tasks as wanted if one lane is huge and many lanes are small', async () => {
    const { add, claim } = await makeQueue();
    await add(...Array.from({ length: 300 }, () => ({ lane: 'huge' })));
    await add(...Array.from({ length: 100 }, (_, n) => ({ lane: `small ${n}` })));
    const claimed = await claim({ count: 250, perLane: 250 });
    expect(claimed).toHaveLength(250);
  });

  test('finds a due task although a thousand other lanes have only tasks that are due later', async () => {
    const { add, claim } = await makeQueue();
    await add(
      ...Array.from({ length: 1_000 }, (_, n) => ({ lane: `a ${n}`, runAt: inSeconds(60) })),
    );
    const [due] = await add({ lane: 'b' });
    expect((await claim()).map(({ id }) => id)).toEqual([due]);
  });
});

describe('the lanes', () => {
  const lanesOf = (claimed: { lane: string }[]) => claimed.map(({ lane }) => lane);

  test('get their turns in the order of their names, beginning after the lane `afterLane`', async () => {
    const { add, claim } = await makeQueue();
    for (const lane of ['', 'a', 'b', 'c']) await add({ lane }, { lane });
    expect(lanesOf(await claim({ perLane: 1, afterLane: 'b' }))).toEqual(['c', '', 'a', 'b']);
    expect(lanesOf(await claim({ perLane: 1, count: 2, afterLane: 'c' }))).toEqual(['', 'a']);
    expect(lanesOf(await claim({ perLane: 1, count: 2, afterLane: 'a' }))).toEqual(['b', 'c']);
  });

  test('get no more tasks than their limit, and running tasks count toward the limit', async () => {
    const { add, claim } = await makeQueue();
    for (const lane of ['a', 'b']) await add({ lane }, { lane }, { lane }, { lane });
    const claimed = await claim({ perLane: 3, running: new Map([['a', 2]]) });
    expect(lanesOf(claimed)).toEqual(['a', 'b', 'b', 'b']);
    expect(lanesOf(await claim({ perLane: 3, running: new Map([['a', 5]]) }))).toEqual(['b']);
  });

  // Without the condition on the pause, the claim takes the tasks of the lane.
  test('that pause are left out by claims, and their tasks lose no attempt', async () => {
    const { db, add, claim, row } = await makeQueue();
    const [first] = await add({ lane: 'a', runAt: inSeconds(-50) }, { lane: 'b' }, { lane: 'a' });
    await db.transaction((tx) => pauseLane(tx, 'a', 60_000));
    await db.transaction((tx) => pauseLane(tx, 'a', 1));
    expect(lanesOf(await claim())).toEqual(['b']);
    expect(lanesOf(await claim({ afterLane: 'a' }))).toEqual([]);
    expect(await row(first)).toMatchObject({ attempt: 0, attempts_left: 3 });
    await db.execute(sql`update paused_lanes set until = now() - interval '9 seconds'`);
    const claimed = await claim();
    expect(lanesOf(claimed)).toEqual(['a', 'a']);
    // The time of the pause does not count as time that the task waited for a worker.
    expect(claimed[0]?.waitedSeconds).toBeGreaterThan(8);
    expect(claimed[0]?.waitedSeconds).toBeLessThan(49);
  });

  // If the first row of `lanes` counted as due, the claim would begin with the tasks of lane `b`,
  // and would return these tasks twice.
  test('whose pause has ended get one turn in each claim', async () => {
    const { db, add, claim } = await makeQueue();
    for (const lane of ['a', 'b']) await add({ lane }, { lane });
    await db.transaction((tx) => pauseLane(tx, 'b', 60_000));
    await db.execute(sql`update paused_lanes set until = statement_timestamp()`);
    expect(lanesOf(await claim({ afterLane: 'b' }))).toEqual(['a', 'a', 'b', 'b']);
  });

  test('get their turns again as soon as somebody ends their pause', async () => {
    const { db, add, claim } = await makeQueue();
    await add({ lane: 'a' });
    await db.transaction((tx) => pauseLane(tx, 'a', 60_000));
    await db.transaction((tx) => resumeLane(tx, 'a'));
    expect(await claim()).toHaveLength(1);
  });

  test('with ten thousand tasks delay a task of another lane by at most three claims', async () => {
    const { add, claim } = await makeQueue();
    await add(...Array.from({ length: 10_000 }, () => ({ lane: 'full' })));
    const [first] = await add({ lane: 'small' });
    let afterLane = '';
    let claims = 0;
    for (let isFound = false; !isFound; claims++) {
      const claimed = await claim({ count: 4, perLane: 1, afterLane });
      isFound = claimed.some(({ id }) => id === first);
      afterLane = claimed.at(-1)?.lane ?? '';
    }
    expect(claims).toBeLessThanOrEqual(3);
  });
});

describe('a task whose lease has ended', () => {
  test('is claimed again although the history already has a wrong row for its attempt', async () => {
    const { db, add, claim, endLeases, ends } = await makeQueue();
    const [id] = await add({});
    await claim();
    await db.execute(sql`insert into task_attempts
      select id, attempt, worker_id, began_at, began_at, 'failed' from tasks`);
    await endLeases();
    expect(await claim()).toMatchObject([{ id, attempt: 2 }]);
    expect(await ends(id)).toEqual(['failed']);
  });

  test('is claimed again, and its lost attempt is recorded', async () => {
    const { add, claim, endLeases, ends } = await makeQueue();
    const [id] = await add({});
    await claim();
    expect(await claim({ workerId: 2n })).toEqual([]);
    await endLeases();
    const [again] = await claim({ workerId: 2n });
    expect(again).toMatchObject({ id, attempt: 2, attemptsLeft: 1, waitedSeconds: undefined });
    expect(await ends(id)).toEqual(['lost']);
  });

  test('becomes dead if no attempts are left, and is not claimed again', async () => {
    const { add, claim, endLeases, row, ends } = await makeQueue();
    const [id] = await add({ attempts: 2 });
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await claim()).toHaveLength(1);
      await endLeases();
    }
    expect(await claim()).toEqual([]);
    expect(await row(id)).toMatchObject({
      ended: 'dead',
      attempt: 2,
      lease_until: null,
      error: 'the worker of the last attempt was lost',
    });
    expect(await ends(id)).toEqual(['lost', 'lost']);
    await endLeases();
    expect(await claim()).toEqual([]);
  });

  test('is claimed by only one of eight workers that claim at the same time', async () => {
    const { add, claim, endLeases } = await makeQueue();
    for (let round = 0; round < 10; round++) {
      const [id] = await add({ attempts: 9 });
      await claim();
      await endLeases();
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim()));
      expect(claims.flat().filter((task) => task.id === id)).toHaveLength(1);
    }
  });
});

// Without SESSIONS_OF_WORKER, each of these plans reads all 5,000 tasks.
test.for(['select', 'vacuum analyze tasks'])(
  'plans that were made for an empty table read few tasks after 5,000 are added (after `%s`)',
  async (before, context) => {
    const { db, add, claim } = await makeQueue(undefined, { connections: 1 });
    await db.execute(before);
    const work = async (holds: Hold[]) => {
      await renewLeases(db, holds);
      await db.transaction(async (tx) => {
        await finishDone(tx, holds.slice(0, 5));
        const failed = holds.slice(5);
        await finishFailed(
          tx,
          failed.map((hold) => ({ ...hold, error: 'no', pauseMs: 1_000 })),
        );
      });
    };
    const tasksRead = async () => {
      await flushStatistics((text) => db.execute(sql.raw(text)), context);
      const [row] = await db.execute<{ read: number }>(sql`
      select (seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes
        where relname = 'tasks'))::int as read from pg_stat_user_tables where relname = 'tasks'`);
      return row?.read ?? 0;
    };
    for (let times = 0; times < 10; times++) {
      expect(await claim()).toEqual([]);
      await work(Array.from({ length: 10 }, () => ({ id: 0n, attempt: 1 })));
    }
    await add(...Array.from({ length: 5_000 }, () => ({})));
    const readBefore = await tasksRead();
    const claimed = await claim();
    expect(claimed).toHaveLength(10);
    await work(claimed.map(holdOf));
    expect(await tasksRead()).toBeLessThan(readBefore + 200);
    const [row] = await db.execute(sql`select count(*)::int as n from tasks where ended = 'done'`);
    expect(row?.n).toBe(5);
  },
);
