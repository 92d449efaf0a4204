import { setTimeout } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { explore, type Played, replay } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import type { Effect, Ending, Program, Trial } from '../../src/explorer/trial.ts';
import type { Database } from '../../src/platform/db/client.ts';
import type { Session } from '../../src/platform/db/session.ts';
import { databaseError } from '../../src/platform/db/sqlstate.ts';
import { companies } from '../../src/service/database/schema.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const nameOf = async (admin: Session) => {
  const text = 'select name from companies where id = 1';
  const [row] = await admin.run({ text, params: [], asArrays: false });
  return (row as { name: string }).name;
};

/**
 * Makes a trial whose programs change the name of one company. `seen` gets the name at the end of
 * each schedule.
 */
function trialOf(sessions: Program[], more: Partial<Trial> = {}) {
  const seen: string[] = [];
  const trial: Trial = {
    async setUp(admin) {
      const text = "update companies set name = '' where id = 1";
      await admin.run({ text, params: [], asArrays: false });
    },
    sessions,
    async judge(admin, endings: Ending[]) {
      const died = endings.filter((ending) => 'died' in ending).length;
      const name = `"${await nameOf(admin)}"${died ? `, ${died} died` : ''}`;
      seen.push(name);
      return { faults: [], summary: name };
    },
    ...more,
  };
  return { trial, seen };
}

const wordsOf = (played: Played) => tell(played).transcript.replace(/\s+/g, ' ');

const first = eq(companies.id, 1n);
const append = (db: Pick<Database, 'update'>, letter: string) =>
  db
    .update(companies)
    .set({ name: sql`${companies.name} || ${letter}::text` })
    .where(first);
const read = (db: Pick<Database, 'select'>) => db.select().from(companies).where(first);

describe('a process that dies', () => {
  test('also ends a session that has not begun, unless the process starts again', async () => {
    const letters = ['a', 'b'].map(
      (letter): Program =>
        (db) =>
          db.transaction((tx) => append(tx, letter)),
    );
    const both = trialOf(letters, { deaths: 1, processes: [1, 1] });
    await replay(stage, both.trial, ['1', 'k1']);
    expect(both.seen.at(-1)).toBe('"", 2 died');
    const died = () => undefined;
    const { trial, seen } = trialOf(letters, { deaths: 1, processes: [1, 1], died });
    const played = await replay(stage, trial, ['1', 'k1', '2', '2']);
    expect([seen.at(-1), played.schedule]).toEqual(['"b", 1 died', ['1', 'k1', '2', '2']]);
    await replay(stage, trial, ['2', 'k2', '1', '1']);
    expect(seen.at(-1)).toBe('"a", 1 died');
  });

  test('may die between two steps of a transaction, and the transaction is rolled back', async () => {
    const { trial, seen } = trialOf([(db) => db.transaction((tx) => append(tx, 'a'))], {
      deaths: 1,
    });
    const found = await explore(stage, trial);
    expect(found.schedules).toBe(2);
    expect(seen).toEqual(['"a"', '"", 1 died']);
  });

  test('does not die between the write and the commit of an autocommit write', async () => {
    const lone: Program = async (db) => {
      await append(db, 'a');
      await read(db);
    };
    const { trial, seen } = trialOf([lone], { deaths: 1 });
    expect((await explore(stage, trial)).schedules).toBe(2);
    expect(seen).toEqual(['"a"', '"a", 1 died']);
  });

  test('runs no catch and no finally', async () => {
    const ran: string[] = [];
    const program: Program = async (db) => {
      try {
        await db.transaction(async (tx) => {
          await append(tx, 'a');
          await read(tx);
        });
      } catch {
        ran.push('catch');
      } finally {
        ran.push('finally');
      }
    };
    const { trial } = trialOf([program], { deaths: 1 });
    const played = await replay(stage, trial, ['1', 'k1']);
    expect(played.endings).toEqual([{ died: true }]);
    await replay(stage, trial, []);
    expect(ran).toEqual(['finally']);
  });

  test('frees its locks, so a waiting session goes on', async () => {
    const transaction: Program = (db) => db.transaction((tx) => append(tx, 'a'));
    const { trial, seen } = trialOf([transaction, transaction], { deaths: 1 });
    const played = await replay(stage, trial, ['1', '2', 'k1', '2']);
    expect(seen).toEqual(['"a", 1 died']);
    expect(tell(played).transcript).toContain('-- the process of S1 dies');
  });

  test('leaves a waiting autocommit write, which still commits when the lock is free', async () => {
    const sessions: Program[] = [
      (db) => db.transaction((tx) => append(tx, 'a')),
      (db) => append(db, 'b'),
    ];
    const { trial, seen } = trialOf(sessions, { deaths: 1 });
    const played = await replay(stage, trial, ['1', '2', 'k2', '1']);
    expect(seen).toEqual(['"ab", 1 died']);
    expect(tell(played).transcript).toMatch(/<… update completed>/);
    // The statement ends at step 4, but the session died at step 3.
    expect(tell(played).transcript).toMatch(/= died \(step 3\)/);
  });

  test('leaves a transaction that waits for a lock, and PostgreSQL rolls it back when the lock is free', async () => {
    const transaction: Program = (db) => db.transaction((tx) => append(tx, 'a'));
    const { trial, seen } = trialOf([transaction, transaction], { deaths: 1 });
    await replay(stage, trial, ['1', '2', 'k2', '1']);
    expect(seen).toEqual(['"a", 1 died']);
  });

  test('frees its session-level advisory locks', async () => {
    const locked: Program = async (db) => {
      await db.execute(sql`select pg_advisory_lock(7)`);
      await append(db, 'a');
      await db.execute(sql`select pg_advisory_unlock(7)`);
    };
    const { trial, seen } = trialOf([locked, locked], { deaths: 1 });
    await replay(stage, trial, ['1', '2', 'k1']);
    expect(seen).toEqual(['"a", 1 died']);
  });

  test('leaves a waiting update, and its note says in whole sentences that the row is checked again', async () => {
    const rename: Program = (db) => db.execute(sql`update companies set name = 'a' where id = 1`);
    const once: Program = (db) =>
      db.execute(sql`update companies set name = 'b' where id = 1 and name = ''`);
    const { trial } = trialOf([rename, once], { deaths: 1 });
    const words = wordsOf(await replay(stage, trial, ['1', '2', 'k2', '1']));
    expect(words).toContain(
      '(S2 is dead, but PostgreSQL runs its statement. The locked row is checked again, as S1 left it, and no longer fits)',
    );
  });

  test('ends all its sessions', async () => {
    const transaction: Program = (db) => db.transaction((tx) => append(tx, 'a'));
    const { trial, seen } = trialOf([transaction, transaction], { deaths: 1, processes: [1, 1] });
    await replay(stage, trial, ['1', '2', 'k1']);
    expect(seen).toEqual(['"", 2 died']);
  });

  test('ends its session that waits for a lock of another session of the same process', async () => {
    const sessions: Program[] = [
      (db) => db.transaction((tx) => append(tx, 'a')),
      async (db) => {
        await append(db, 'b');
        await append(db, 'c');
      },
    ];
    const { trial, seen } = trialOf(sessions, { deaths: 1, processes: [1, 1] });
    const played = await replay(stage, trial, ['1', '2', 'k1']);
    // Both sessions die at the same time. The waiting autocommit write is committed, but nobody
    // gets its answer.
    expect(seen).toEqual(['"b", 2 died']);
    expect(wordsOf(played)).toMatch(
      /S1 and S2 dies\. PostgreSQL rolls its transaction back: update companies \(step 1\) undone\. PostgreSQL does not notice yet: update companies still waits in line --.*<… update completed>.*\(S2 is dead, but PostgreSQL runs its statement\) commit \(PostgreSQL commits too, since the statement stands alone\)/,
    );
  });

  test('has one sentence about the rollback of its two open transactions', async () => {
    const sessions: Program[] = [1n, 2n].map(
      (id) => (db) =>
        db.transaction((tx) => tx.update(companies).set({ name: 'x' }).where(eq(companies.id, id))),
    );
    const { trial } = trialOf(sessions, { deaths: 1, processes: [1, 1] });
    const words = wordsOf(await replay(stage, trial, ['1', '2', 'k1']));
    expect(words).toContain(
      'PostgreSQL rolls its 2 transactions back: update companies (step 1), update companies (step 2) undone --',
    );
    expect(words).not.toContain('S2 is dead');
  });
});

describe('the event of a death names only writes that have changed a row:', () => {
  const write =
    (id: bigint): Program =>
    async (db) => {
      await db.update(companies).set({ name: 'a' }).where(eq(companies.id, id));
      await read(db);
    };
  const inTransaction =
    (id: bigint): Program =>
    (db) =>
      db.transaction(async (tx) => {
        await tx.update(companies).set({ name: 'a' }).where(eq(companies.id, id));
        await read(tx);
      });
  const nobody = 0n;

  test.each([
    ['a commit', write, 1n, 'Its commits stay: update companies'],
    ['a commit without a row', write, nobody, 'It has no open transaction --'],
    ['an open transaction', inTransaction, 1n, 'back: update companies (step 1) undone --'],
    [
      'an open transaction without a row',
      inTransaction,
      nobody,
      'PostgreSQL rolls its transaction back --',
    ],
  ])('%s', async (_, program, id, words) => {
    const { trial } = trialOf([program(id)], { deaths: 1 });
    const isOpen = program === inTransaction;
    const played = await replay(stage, trial, isOpen ? ['1', 'k1'] : ['1', '1', 'k1']);
    expect(wordsOf(played)).toContain(words);
  });
});

test('the trial learns of each death, with the number of the process', async () => {
  const died: number[] = [];
  const transaction: Program = (db) => db.transaction((tx) => append(tx, 'a'));
  const { trial } = trialOf([transaction, transaction], {
    deaths: 1,
    processes: [7, 7],
    died: (process) => void died.push(process),
  });
  await replay(stage, trial, ['1', '2', 'k1']);
  expect(died).toEqual([7]);
});

describe('an effect outside the database', () => {
  const mail = (effect: Effect, sent: string[]) =>
    effect('send mail', () => void sent.push('mail'));

  test('is one step, and no rollback undoes the effect', async () => {
    const sent: string[] = [];
    const program: Program = (db, _, effect) =>
      db.transaction(async (tx) => {
        await append(tx, 'a');
        await mail(effect, sent);
      });
    const { trial, seen } = trialOf([program], { deaths: 1 });
    const played = await replay(stage, trial, ['1', '1', 'k1']);
    expect(seen).toEqual(['"", 1 died']);
    expect(sent).toEqual(['mail']);
    expect(tell(played).transcript).toContain('send mail');
  });

  test('may kill its process without a choice of the scheduler', async () => {
    const deadly = { text: 'send mail', kills: true } as const;
    const program: Program = async (db, _, effect) => {
      await read(db);
      await effect(deadly, () => 'the process dies of it');
      await append(db, 'a');
    };
    const { trial, seen } = trialOf([program], { afterwards: () => program });
    expect((await explore(stage, trial)).schedules).toBe(1);
    expect(seen).toEqual(['"", 1 died']);
    const told = tell(await replay(stage, trial, []));
    expect(told.transcript.match(/dies of it/g)).toHaveLength(2);
  });

  test('may happen although its answer is lost, and so may a commit', async () => {
    const sent: string[] = [];
    const heard: unknown[] = [];
    const program: Program = async (db, _, effect) => {
      for (const act of [() => mail(effect, sent), () => append(db, 'a')])
        await act().catch((error) => heard.push(databaseError(error)?.code));
    };
    const { trial, seen } = trialOf([program], { lostAnswers: 1 });
    expect((await explore(stage, trial)).schedules).toBe(3);
    expect(seen).toEqual(['"a"', '"a"', '"a"']);
    expect(heard).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    const played = await replay(stage, trial, ['l1']);
    expect(tell(played).transcript).toContain('done, but the answer is lost');
  });

  test('in the memory of the process loses no answer, but the process may die after the effect', async () => {
    const memory: string[] = [];
    const program: Program = async (db, _, effect) => {
      await effect({ text: 'keep', isInMemory: true }, () => void memory.push('kept'));
      await read(db);
    };
    const { trial } = trialOf([program], { deaths: 1, lostAnswers: 1 });
    const schedules: string[] = [];
    await explore(stage, trial, { onStep: (schedule) => schedules.push(schedule) });
    expect(schedules.filter((each) => /[kl]1$/.test(each))).toEqual(['1,k1']);
  });

  test('that answers the client may come before the death of the process, or not at all', async () => {
    const heard: string[] = [];
    const program: Program = async (db, _, effect) => {
      await append(db, 'a');
      await effect({ text: 'answer', isAnswer: true }, () => void heard.push('done'));
    };
    const { trial } = trialOf([program], { deaths: 1 });
    const schedules: string[] = [];
    await explore(stage, trial, { onStep: (schedule) => schedules.push(schedule) });
    expect(schedules.filter((each) => /[.kd]1$/.test(each))).toEqual([
      '1,1,.1',
      '1,1,k1',
      '1,1,d1',
    ]);
    expect(heard).toEqual(['done', 'done']);
  });
});

describe('time', () => {
  test('passes only before a step that reads the clock', async () => {
    const passed: string[] = [];
    const program: Program = async (db) => {
      await append(db, 'a');
      await read(db);
      await db.execute(sql`select now()`);
    };
    const { trial } = trialOf([program], {
      timePasses: true,
      passTime: async () => void passed.push('t'),
    });
    const schedules: string[] = [];
    await explore(stage, trial, { onStep: (schedule) => schedules.push(schedule) });
    expect(schedules.filter((each) => each.endsWith('t'))).toEqual(['1,1,1,t']);
  });
});

test('when time passes, now() of an open transaction stays, and statement_timestamp() jumps', async () => {
  const times: number[] = [];
  const look = async (db: Pick<Database, 'execute'>, clock: string) => {
    const [row] = await db.execute<{ at: number }>(
      sql`select extract(epoch from ${sql.raw(clock)})::float as at`,
    );
    times.push(row?.at ?? 0);
  };
  const program: Program = async (db) => {
    await append(db, 'a');
    await db.transaction(async (tx) => {
      await look(tx, 'now()');
      await look(tx, 'now()');
      await look(tx, 'statement_timestamp()');
    });
    await look(db, 'now()');
  };
  const { trial } = trialOf([program], { timePasses: true });
  await replay(stage, trial, ['1', '1', '1', 't', '1', '1', '1', '1']);
  const [before = 0, ...later] = times;
  const days = later.map((at) => Math.round((at - before) / 86_400));
  expect(days).toEqual([0, 2, 2]);
});

test('if two days pass, the event names the leases and keys that ended', async () => {
  const program: Program = async (db) => {
    await append(db, 'a');
    await db.execute(sql`select now()`);
  };
  const runOut = async () => ['the lease ends', 'the key ends'];
  const { trial } = trialOf([program], { timePasses: true, runOut });
  const { transcript } = tell(await replay(stage, trial, ['1', '1', 't']));
  expect(transcript).toContain('  3   -- two days pass. The lease ends. The key ends --');
});

describe('afterwards', () => {
  test('a program runs alone, and its steps are in the transcript', async () => {
    const { trial, seen } = trialOf([(db) => db.transaction((tx) => append(tx, 'a'))], {
      deaths: 1,
      afterwards: (endings) => (db) => append(db, `${endings.length}`),
    });
    const played = await replay(stage, trial, ['1', 'k1']);
    expect(seen).toEqual(['"1", 1 died']);
    expect(played.schedule).toEqual(['1', 'k1']);
    expect(played.sessions).toBe(1);
    expect(tell(played).transcript).toMatch(/^afterwards$/m);
    expect((await explore(stage, trial)).schedules).toBe(2);
  });
});

test('a program that runs afterwards may pause longer than the time limit for waits in memory', async () => {
  const afterwards: Program = async (db) => {
    await setTimeout(150);
    await append(db, 'z');
  };
  const { trial, seen } = trialOf([(db) => append(db, 'a')], { afterwards: () => afterwards });
  const { faults } = await replay(stage, trial, ['1', '1']);
  expect([faults, seen]).toEqual([[], ['"az"']]);
});
