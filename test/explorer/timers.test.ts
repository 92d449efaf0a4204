import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/db/client.ts';
import { explore } from '../../../src/lab/explore/explore.ts';
import { ownPromises, ownTimers, Timers, withTimers } from '../../../src/lab/explore/timers.ts';
import type { Program, Trial } from '../../../src/lab/explore/trial.ts';
import { makeStage } from '../../support/stage.ts';

const { setTimeout, clearTimeout, setInterval, clearInterval } = ownTimers;

const read = (db: Database) => db.execute(sql`select 1`);

/** The number of schedules of two sessions with this program. */
async function count(program: Program): Promise<number> {
  const trial: Trial = {
    setUp: async () => undefined,
    sessions: [program, program],
    judge: async () => ({ faults: [], summary: '' }),
  };
  const { schedules, faults } = await explore(await makeStage(), trial);
  expect(faults).toEqual({});
  return schedules;
}

describe('a session that pauses for a minute', () => {
  test('has no more schedules than a session that does not', async () => {
    const pausing = count(async (db) => {
      await read(db);
      await ownPromises.setTimeout(60_000);
      await read(db);
    });
    expect(await pausing).toBe(6);
  });

  test('pauses less often than for ever, if it looks for something of another session', async () => {
    let reads = 0;
    const waiting = count(async (db) => {
      await read(db);
      reads++;
      while (reads % 2 === 1) await ownPromises.setTimeout(60_000);
    });
    expect(await waiting).toBe(2);
  });
});

test('a deadline does not come while PostgreSQL works', async () => {
  const program = count(async (db) => {
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 1));
    await Promise.race([read(db).then(() => read(db)), late]);
  });
  expect(await program).toBe(6);
});

test('timers run in the order of their time, and a cleared timer does not run', () => {
  const timers = new Timers();
  const ran: string[] = [];
  withTimers(timers, () => {
    setTimeout(() => ran.push('later'), 20);
    setTimeout((...args) => ran.push(args.join()), 10, 'first', 'of all');
    clearTimeout(setTimeout(() => ran.push('never'), 5));
    const interval = setInterval(() => {
      if (ran.push('again') > 3) clearInterval(interval);
    }, 15);
  });
  while (timers.fire());
  expect(ran).toEqual(['first,of all', 'again', 'later', 'again']);
});
