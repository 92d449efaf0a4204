import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { explore } from '../../src/explorer/explore.ts';
import { ownPromises, ownTimers, Timers, withTimers } from '../../src/explorer/timers.ts';
import type { Program, Trial } from '../../src/explorer/trial.ts';
import type { Database } from '../../src/platform/db/client.ts';
import { makeStage } from '../support/stage.ts';

const { setTimeout, clearTimeout, setInterval, clearInterval } = ownTimers;

const read = (db: Database) => db.execute(sql`select 1`);

/** Returns the number of schedules of two sessions with this program. */
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
  test('has as many schedules as a session without a pause', async () => {
    const pausing = count(async (db) => {
      await read(db);
      await ownPromises.setTimeout(60_000);
      await read(db);
    });
    expect(await pausing).toBe(6);
  });

  test('does not pause for ever if it polls for a change by another session', async () => {
    let reads = 0;
    const waiting = count(async (db) => {
      await read(db);
      reads++;
      while (reads % 2 === 1) await ownPromises.setTimeout(60_000);
    });
    expect(await waiting).toBe(2);
  });
});

test('a timer of a program does not fire while PostgreSQL runs a statement', async () => {
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
