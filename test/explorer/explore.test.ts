import { setImmediate as turn } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { Execution } from '../../src/explorer/execution.ts';
import { explore, hasAny, replay } from '../../src/explorer/explore.ts';
import { playFree } from '../../src/explorer/free.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import type { Effect, Ending, Program, Sleep, Trial } from '../../src/explorer/trial.ts';
import { lineAbout } from '../../src/lab/judge/place.ts';
import type { Database } from '../../src/platform/db/client.ts';
import type { Session } from '../../src/platform/db/session.ts';
import { companies } from '../../src/service/database/schema.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const run = async (admin: Session, text: string) => {
  await admin.run({ text, params: [], asArrays: false });
};

/** Makes a trial without claims. Its programs read and change the name of one company. */
const trialOf = (sessions: Trial['sessions'], more: Partial<Trial> = {}): Trial => ({
  setUp: (admin) => run(admin, "update companies set name = '' where id = 1"),
  sessions,
  judge: async () => ({ faults: [], summary: 'over' }),
  ...more,
});

const divideByZero = (db: Database) => db.execute(sql`select 1 / 0`);

/** Blocks the whole process, as a busy machine may do. */
function standStill(milliseconds: number) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const lineOf = (error: unknown) => lineAbout(error, 'mine.ts');

const first = eq(companies.id, 1n);
const append = (db: Pick<Database, 'update'>, letter: string) =>
  db
    .update(companies)
    .set({ name: sql`${companies.name} || ${letter}::text` })
    .where(first);

describe('the explorer', () => {
  test('plays every order of two programs, and no order twice', async () => {
    const seen: string[] = [];
    const trial = trialOf(
      ['a', 'b'].map((letter) => (db) => db.transaction((tx) => append(tx, letter))),
      {
        judge: async (admin) => {
          const text = 'select name from companies where id = 1';
          const [row] = await admin.run({ text, params: [], asArrays: false });
          const { name } = row as { name: string };
          seen.push(name);
          return { faults: name === 'ba' ? ['b-first'] : [], summary: name };
        },
      },
    );
    const found = await explore(stage, trial);
    // Each session updates and commits. A second update waits if the first is not committed yet.
    expect(found.schedules).toBe(4);
    expect(seen.sort()).toEqual(['ab', 'ab', 'ba', 'ba']);
    expect(found.faults).toEqual({ 'b-first': 2 });
    expect(found.counterexamples['b-first']?.schedule).toEqual(['2', '2', '1', '1']);
  });

  test('plays schedules with fewer switches between sessions first', async () => {
    const read = async (db: Database) => {
      for (let times = 0; times < 2; times++) await db.select().from(companies).where(first);
    };
    const schedules: string[] = [];
    const onStep = (schedule: string) => {
      if (schedule.length === '1,1,2,2'.length) schedules.push(schedule);
    };
    await explore(stage, trialOf([read, read]), { onStep });
    expect(schedules).toEqual(['1,1,2,2', '2,2,1,1', '1,2,2,1', '2,1,1,2', '1,2,1,2', '2,1,2,1']);
  });

  test('is incomplete if there are more schedules than the maximum', async () => {
    const trial = trialOf(
      ['a', 'b'].map((letter) => (db) => db.transaction((tx) => append(tx, letter))),
    );
    const played = async (most: number) => {
      const { schedules, isComplete } = await explore(stage, trial, { most });
      return { schedules, isComplete };
    };
    expect(await played(3)).toEqual({ schedules: 3, isComplete: false });
    expect(await played(4)).toEqual({ schedules: 4, isComplete: true });
  });

  test('ends after the first schedule with a fault that the caller wants', async () => {
    const sessions = [1, 2].map(() => (db: Database) => db.select().from(companies).where(first));
    const judge = async () => ({ faults: ['found'], summary: '' });
    const played = async (until: string[]) =>
      (await explore(stage, trialOf(sessions, { judge }), { endsAfter: hasAny(until) })).schedules;
    expect(await played(['found'])).toBe(1);
    expect(await played(['another'])).toBe(2);
  });

  test('makes one step of a read outside a transaction, and two steps of an autocommit write', async () => {
    const read = trialOf([1, 2].map(() => (db) => db.select().from(companies).where(first)));
    expect((await explore(stage, read)).schedules).toBe(2);
    const write = trialOf([(db) => db.select().from(companies), (db) => append(db, 'a')]);
    expect((await explore(stage, write)).schedules).toBe(3);
  });

  test('makes two steps of a DO block, but one step if the block itself commits', async () => {
    const block = (last: string) => (db: Database) =>
      db.execute(
        sql.raw(`do $$ begin update companies set name = 'a' where id = 1; ${last} end $$`),
      );
    const schedulesOf = async (last: string) =>
      (await explore(stage, trialOf([(db) => db.select().from(companies), block(last)]))).schedules;
    expect([await schedulesOf(''), await schedulesOf('commit;')]).toEqual([3, 2]);
  });

  test('waits for a session that runs its own code, even if the whole process stops for a moment', async () => {
    const read = (db: Database) => db.select().from(companies).where(first);
    const program = async (db: Database) => {
      await read(db);
      for (let times = 1; times <= 8; times++) {
        await turn();
        if (times === 5) standStill(80);
      }
      await read(db);
    };
    expect((await explore(stage, trialOf([program, program]))).schedules).toBe(6);
  });

  test('ends the sleep of a session without a real wait', async () => {
    const startedAt = Date.now();
    const sleeper = async (db: Database, sleep: Sleep) => {
      await sleep(3_600_000);
      await append(db, 'a');
    };
    const played = await replay(stage, trialOf([sleeper]), []);
    expect(played.schedule).toEqual(['1', 't', '1', '1']);
    // The clock of PostgreSQL jumps only in a trial in which time passes.
    expect(tell(played).transcript).toContain('-- time passes --');
    expect(Date.now() - startedAt).toBeLessThan(60_000);
  });

  test('cuts a connection if the trial allows this, and uncommitted changes are gone', async () => {
    const names: string[] = [];
    const trial = trialOf([(db) => db.transaction((tx) => append(tx, 'a'))], {
      cuts: [1],
      judge: async (admin, endings: Ending[]) => {
        const text = 'select name from companies where id = 1';
        const [row] = await admin.run({ text, params: [], asArrays: false });
        const failed = endings.some((ending) => 'error' in ending);
        names.push(`${(row as { name: string }).name}${failed ? ', failed' : ''}`);
        return { faults: [], summary: '' };
      },
    });
    const found = await explore(stage, trial);
    // The connection is cut before the update, or before the commit, or never.
    expect(found.schedules).toBe(3);
    expect(names.sort()).toEqual([', failed', ', failed', 'a']);
  });

  test('counts an unhandled error as a fault', async () => {
    const trial = trialOf([(db) => db.execute(sql`select 1 / 0`)]);
    expect((await explore(stage, trial)).faults).toEqual({ error: 1 });
  });

  const keepLock = (db: Database) => db.execute(sql`select pg_advisory_lock(4713)`);

  // The explorer waits two seconds in each concurrent test below. These tests run at the same time,
  // on separate stages.
  test.concurrent('reports a session that never ends, and does not wait for ever', async () => {
    const stuck = async (db: Database) => {
      await db.select().from(companies);
      await new Promise(() => undefined);
    };
    const { counterexamples } = await explore(await makeStage(), trialOf([stuck]));
    expect(counterexamples.hang?.summary).toBe('S1 never ended');
    expect(counterexamples.hang?.schedule).toEqual(['1']);
  });

  test.concurrent('names the statement that waits for a lock that an ended session kept', async () => {
    const trial = trialOf([keepLock], { afterwards: () => keepLock });
    const { summary, isForKeptLock, ...played } = await replay(await makeStage(), trial, []);
    expect(summary).toMatch(
      /^the program that ran afterwards, which waits for a lock that S1 kept/,
    );
    expect(isForKeptLock).toBe(true);
    const { transcript } = tell({ ...played, summary });
    expect(transcript).toMatch(/\n {2}3 {3}select pg_advisory_lock\(4713\)\n {6}<waiting for S1>/);
  });

  test.concurrent('does not blame a kept lock if the program that runs afterwards waits in memory', async () => {
    const trial = trialOf([keepLock], { afterwards: () => () => new Promise(() => undefined) });
    const { summary, isForKeptLock, ...played } = await replay(await makeStage(), trial, []);
    expect(summary).toBe('the program that ran afterwards never ended');
    expect(isForKeptLock).toBe(false);
    const { transcript } = tell({ ...played, summary });
    expect(transcript).toMatch(/\n {2}3 {3}<waiting for something in memory>/);
  });

  test('says that the program that runs afterwards ends without a statement', async () => {
    const trial = trialOf([keepLock], { afterwards: () => async () => 'idle' });
    const { transcript } = tell(await replay(stage, trial, []));
    expect(transcript).toMatch(/\n {2}3 {3}<ends without a statement>/);
  });

  test('reports a session that sends statements for ever', async () => {
    const trying = async (db: Database) => {
      for (;;) await db.select().from(companies);
    };
    const { counterexamples } = await explore(stage, trialOf([trying]));
    expect(counterexamples.hang?.summary).toBe('the schedule had not ended after 200 steps');
  });

  describe('a program that sends other statements in a repeated schedule', () => {
    const DIFFERENTLY =
      /^The schedule .* ran differently when it was played again\. .* select from companies.*$/;
    const fickleTrial = () => {
      let calls = 0;
      const fickle = async (db: Database) => {
        await db.execute(sql`select
          from companies`);
        await (calls++ > 0 ? append(db, 'x') : db.select().from(companies).where(first));
      };
      return trialOf([fickle, (db: Database) => db.select().from(companies)]);
    };

    // The error has one line, though the statement has two lines.
    test('is an error', () => expect(explore(stage, fickleTrial())).rejects.toThrow(DIFFERENTLY));

    test('ends the search if the caller wants this', async () => {
      const found = await explore(stage, fickleTrial(), { endsAtDivergence: true });
      expect(found).toMatchObject({ schedules: 2, isComplete: false });
      expect(found.divergence).toMatch(DIFFERENTLY);
      const after = await explore(stage, trialOf([(db) => db.select().from(companies)]));
      expect(after.isComplete).toBe(true);
    });
  });

  test.each([
    ['', (work: Promise<unknown>) => work],
    [', even if the program goes on', (work: Promise<unknown>) => work.catch(() => undefined)],
  ])('refuses db inside a transaction of db%s', async (_, end) => {
    const inside = (db: Database) =>
      end(db.transaction(async (tx) => [await append(tx, 'a'), await db.select().from(companies)]));
    const refused = await explore(stage, trialOf([inside])).catch(lineOf);
    expect(refused).toMatch(/db was used inside a transaction of db: use tx there/);
  });

  const inside: Program = (db) => db.transaction(() => append(db, 'a'));
  test.each([
    ['in a session', trialOf([inside])],
    ['afterwards', trialOf([], { afterwards: () => inside, afterwardsAtOnce: true })],
  ])('refuses db inside a transaction of db at full speed too, %s', async (_, trial) => {
    const refused = await playFree(stage, trial).catch(lineOf);
    expect(refused).toMatch(/db was used inside a transaction of db: use tx there/);
  });

  test.each([
    ['a statement', (db: Database) => append(db, 'a').execute(), 'update companies set'],
    ['an effect', (_: Database, effect: Effect) => effect('send mail 1', () => {}), 'send mail 1'],
  ])('refuses a program that does not await %s', async (_, act, words) => {
    const forgetful: Program = async (db, _sleep, effect) => {
      await db.select().from(companies);
      void act(db, effect);
      return 'done';
    };
    const refused = await explore(stage, trialOf([forgetful])).catch(lineOf);
    expect(refused).toContain(`mine.ts: nobody awaited ${words}`);
  });

  test('a statement that nobody awaits gets no error when its connection is ended', async () => {
    // An unhandled rejection fails the test.
    const forgetful: Program = async (db) => {
      void db.execute(sql`select pg_sleep(60)`).then(() => undefined);
    };
    const refused = await explore(stage, trialOf([forgetful])).catch(lineOf);
    expect(refused).toContain('mine.ts: nobody awaited select pg_sleep(60)');
  });

  test.each<[string, Program]>([
    ['with', (db) => Promise.all([divideByZero(db), append(db, 'a')])],
    ['after', (db) => divideByZero(db).finally(() => void turn().then(() => append(db, 'a')))],
  ])('refuses a statement that comes %s the error that ended the session', async (_, program) => {
    const refused = await explore(stage, trialOf([program])).catch(lineOf);
    expect(refused).toContain('mine.ts: nobody awaited update companies set');
  });

  test('refuses a statement that nobody awaits after a wait in memory', async () => {
    let goOn = () => {};
    const pause = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const forgetful: Program = async (db) => {
      await db.select().from(companies);
      await pause;
      void append(db, 'a').execute();
    };
    const execution = await Execution.start(stage, trialOf([forgetful]));
    await execution.step('1');
    goOn();
    await expect(execution.stuck()).rejects.toThrow('nobody awaited update companies set');
  });

  test('lets a caller choose step by step, and lists the possible choices', async () => {
    const trial = trialOf(
      ['a', 'b'].map((letter) => (db) => db.transaction((tx) => append(tx, letter))),
    );
    const execution = await Execution.start(stage, trial);
    expect(execution.choices()).toEqual(['1', '2']);
    await execution.step('2');
    await execution.step('1');
    expect(execution.choices()).toEqual(['2']);
    await expect(execution.step('1')).rejects.toThrow('1 cannot be chosen now');
    await execution.step('2');
    await execution.step('1');
    expect(execution.choices()).toEqual([]);
    expect(execution.actors.map(({ status }) => status)).toEqual(['ended', 'ended']);
  });

  test('runs all sessions at full speed, without a scheduler', async () => {
    const trial = trialOf(
      Array.from({ length: 8 }, () => (db) => append(db, 'x')),
      {
        judge: async (admin, endings) => {
          const text = 'select length(name) as n from companies where id = 1';
          const [row] = await admin.run({ text, params: [], asArrays: false });
          return { faults: [], summary: `${(row as { n: number }).n} of ${endings.length}` };
        },
      },
    );
    expect((await playFree(stage, trial)).summary).toBe('8 of 8');
  });

  test('names the session whose lock a waiting session waits for', async () => {
    const trial = trialOf(
      ['a', 'b'].map((letter) => (db) => db.transaction((tx) => append(tx, letter))),
    );
    const played = await replay(stage, trial, ['1', '2']);
    const waits = played.entries.flatMap(({ acts }) => acts.map(({ waitsFor }) => waitsFor));
    expect(waits).toContainEqual([1]);
  });
});

test('the transcript says that a session ended without a statement, and not that it waits', async () => {
  const silent = async () => 'full';
  const { steps, transcript } = tell(await replay(stage, trialOf([silent, silent]), ['1', '2']));
  expect(steps.map(({ silence }) => silence)).toEqual(['ends', 'ends']);
  expect(transcript.match(/<ends without a statement>/g)).toHaveLength(2);
});
