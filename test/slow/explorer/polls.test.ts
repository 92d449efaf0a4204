import { setTimeout } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { explore } from '../../../src/explorer/explore.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import type { Program, Trial } from '../../../src/explorer/trial.ts';
import type { Database } from '../../../src/platform/db/client.ts';
import { companies } from '../../../src/service/database/schema.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const trialOf = (sessions: Trial['sessions'], more: Partial<Trial> = {}): Trial => ({
  setUp: async () => undefined,
  sessions,
  judge: async () => ({ faults: [], summary: 'over' }),
  ...more,
});

const read = (db: Pick<Database, 'select'>) =>
  db.select().from(companies).where(eq(companies.id, 1n));

/** Tries a lock again and again, until it has the lock. */
const tryLock: Program = async (db) => {
  for (;;) {
    const isOurs = await db.transaction(async (tx) => {
      const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(4714) as is_ours`);
      if (row?.is_ours) await read(tx);
      return row?.is_ours;
    });
    if (isOurs) return;
    await setTimeout(10);
  }
};

describe('a session that polls', () => {
  test.each([2, 3])('waits until another session moves: %i sessions', async (count) => {
    const trial = trialOf(Array.from({ length: count }, () => tryLock));
    const found = await explore(stage, trial, { most: 40 });
    expect(found.faults).toEqual({});
    expect(found.schedules).toBeGreaterThan(20);
  });

  test('waits after three equal steps, and goes on if no other session can move', async () => {
    const poll: Program = async (db) => {
      for (let times = 0; times < 5; times++) await read(db);
    };
    const schedules: string[] = [];
    const held: boolean[] = [];
    const found = await explore(stage, trialOf([poll, read]), {
      onPlayed: ({ schedule, hasHeldBack }) => {
        schedules.push(schedule.join(''));
        held.push(hasHeldBack);
      },
    });
    expect([found.faults, found.isComplete]).toEqual([{}, true]);
    expect(schedules.sort()).toEqual(['111211', '112111', '121111', '211111']);
    expect(held.filter(Boolean)).toHaveLength(1);
  });

  test('hangs if it never ends', async () => {
    const poll: Program = async (db) => {
      for (;;) await read(db);
    };
    expect((await explore(stage, trialOf([poll, read]))).faults).toEqual({ hang: 1 });
  });

  test('may repeat a step twice at once, so a retry meets every order', async () => {
    const repeat: Program = async (db) => {
      for (let times = 0; times < 3; times++) await read(db);
    };
    // Three steps of each of the two sessions have 20 orders.
    expect((await explore(stage, trialOf([repeat, repeat]))).schedules).toBe(20);
  });
});

test('a hang that does not happen again is no fault', async () => {
  let starts = 0;
  const slowOnce: Program = async (db) => {
    await read(db);
    if (++starts === 1) await new Promise(() => undefined);
    await read(db);
  };
  const found = await explore(stage, trialOf([slowOnce, read]));
  expect([found.faults, found.schedules, found.isComplete]).toEqual([{}, 3, true]);
});
