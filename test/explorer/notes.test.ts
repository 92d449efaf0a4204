import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import type { Program, Trial } from '../../src/explorer/trial.ts';
import type { Database } from '../../src/platform/db/client.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** Makes a trial whose programs write and read two companies. */
const trialOf = (sessions: Program[]): Trial => ({
  setUp: async (admin) => {
    const text = "update companies set name = '' where id in (1, 2)";
    await admin.run({ text, params: [], asArrays: false });
  },
  sessions,
  judge: async () => ({ faults: [], summary: 'over' }),
});

const alone =
  (...texts: string[]) =>
  async (db: Database) => {
    for (const text of texts) await db.execute(sql.raw(text));
  };

const together =
  (texts: string[], isolationLevel?: 'repeatable read' | 'serializable') => (db: Database) =>
    db
      .transaction(
        (tx) => alone(...texts)(tx as unknown as Database),
        isolationLevel && { isolationLevel },
      )
      // A test may cause an error of PostgreSQL on purpose.
      .catch(() => undefined);

/** Returns the notes of each session. */
async function notesOf(sessions: Program[], schedule: string) {
  const played = await replay(stage, trialOf(sessions), schedule.split(','));
  const acts = tell(played).steps.flatMap((step) => step.acts);
  return sessions.map((_, index) =>
    acts.flatMap(({ session, note }) => (session === index + 1 && note !== null ? [note] : [])),
  );
}

const RENAME = "update companies set name = 'a' where id = 1 and name = ''";
const BY_SUBSELECT =
  "update companies set name = 'b' where id = (select min(id) from companies where name = '')";
const SKIP = 'select id from companies where id = 1 for update skip locked';
const COUNT = 'select count(*) from companies';
const BEGINS = 'begins a transaction at REPEATABLE READ: one snapshot for all its statements';
const CHECKED = 'the locked row is checked again, as S1 left it';
const MISSED =
  'does not see the commit of S1 at step 3, since its snapshot is of step 2, before the wait';

describe('after a wait at READ COMMITTED', () => {
  test.each<[what: string, statement: string, note: string]>([
    [
      'a subselect reads the old snapshot',
      BY_SUBSELECT,
      `its subselect ${MISSED}; ${CHECKED}, and still fits`,
    ],
    [
      'the row is checked again, but not the rows of the old subselect',
      `${BY_SUBSELECT} and name = ''`,
      `its subselect ${MISSED}; ${CHECKED}, and no longer fits`,
    ],
    ['the row of an update is checked again', RENAME, `${CHECKED}, and no longer fits`],
    [
      'the row is checked again if its conditions are in parentheses, as Drizzle writes them',
      "update companies set name = 'b' where (id = 1 and name = '')",
      `${CHECKED}, and no longer fits`,
    ],
    [
      'the row of a SELECT FOR UPDATE is checked again',
      "select id from companies where name = '' and id = 1 for update",
      `${CHECKED}, and no longer fits`,
    ],
    [
      'a subselect of a SELECT FOR UPDATE reads the old snapshot',
      "select (select count(*) from companies where name = '') from companies where id = 1 for update",
      `its subselect ${MISSED}; ${CHECKED}`,
    ],
    [
      'a subselect in a statement with WITH reads the old snapshot',
      `with one as (select id from companies where id = 1 for update)
        select id, (select count(*) from companies where name = '') from one`,
      `${MISSED}; ${CHECKED}`,
    ],
    [
      'the note on a statement with WITH does not say whether the locked row fits',
      `with one as (select id from companies where id = 1 for update)
        select count(*) from one where exists (select from companies where name = '')`,
      `${MISSED}; ${CHECKED}`,
    ],
    [
      'the note does not say that the locked row fits if another row may fit',
      "update companies set name = 'b' where name = '' and id <= (select max(id) from companies)",
      `its subselect ${MISSED}; ${CHECKED}`,
    ],
    [
      'the note does not say that the locked row fits if OR lets another row fit',
      "update companies set name = 'b' where id = (select min(id) from companies) and name = '' or id = 2",
      `its subselect ${MISSED}; ${CHECKED}`,
    ],
  ])('%s', async (_what, statement, note) => {
    const [, second] = await notesOf([alone(RENAME), together([statement])], '1,2,1,2');
    expect(second).toEqual([note]);
  });

  test('a deleted row is not checked again', async () => {
    const inserts = "insert into companies (id, name) overriding system value values (99, '')";
    const removes = "delete from companies where id = 99 and name = ''";
    const sessions = [alone(inserts, removes), together([removes])];
    const [, second] = await notesOf(sessions, '1,1,1,2,1,2');
    expect(second).toEqual(['S1 has deleted the row']);
  });

  test.each([
    ['a row that an update finds', "update companies set name = 'b' where id = 1"],
    ['an advisory lock', 'select pg_advisory_xact_lock(1)'],
  ])('there is no note on %s', async (_what, statement) => {
    const first = together(['select pg_advisory_xact_lock(1)', RENAME]);
    const [, second] = await notesOf([first, together([statement])], '1,1,2,1,2');
    expect(second).toEqual([]);
  });
});

describe('at REPEATABLE READ', () => {
  const SERIAL = 'select pg_advisory_xact_lock(1)';
  const first = together([SERIAL, RENAME]);

  test('an advisory lock takes the snapshot of its transaction before the wait', async () => {
    const second = together([SERIAL, 'select id from companies where id = 1'], 'repeatable read');
    const [, notes] = await notesOf([first, second], '1,1,2,1,2,2');
    expect(notes).toEqual([
      BEGINS,
      'takes the snapshot of its transaction before the wait, so the transaction does not see the commit of S1 at step 4',
      'does not see the commit of S1 at step 4, since its transaction has the snapshot of step 3',
    ]);
  });

  test('an error needs no note', async () => {
    const [, notes] = await notesOf(
      [first, together([BY_SUBSELECT], 'repeatable read')],
      '1,1,2,1,2',
    );
    expect(notes).toEqual([BEGINS]);
  });
});

describe('an autocommit write that has changed no row', () => {
  const IN_VAIN =
    'S2 has changed no row, but the row that it checked stays locked until its commit';
  const lock = 'select id from companies where id = 1 for update';

  test('keeps its checked row locked until its commit, and the note on a wait says so', async () => {
    const [first] = await notesOf([alone(RENAME, lock), alone(RENAME)], '1,2,1,1,2');
    expect(first).toContain(IN_VAIN);
  });

  test('is not named in the note if another statement holds the lock', async () => {
    const sessions = [alone(RENAME, lock), together([RENAME, lock])];
    const [first] = await notesOf(sessions, '1,2,1,2,1,2');
    expect(first).not.toContain(IN_VAIN);
  });
});

test('a wait for a row that another session has changed needs no note', async () => {
  const [, second] = await notesOf([alone(RENAME), alone(RENAME)], '1,2,1,2');
  expect(second?.[0]).toBe(`${CHECKED}, and no longer fits`);
});

test('a rollback names the writes that it undoes', async () => {
  const undone = async (db: Database) => {
    await db
      .transaction(async (tx) => {
        await alone(
          RENAME,
          COUNT,
          "update companies set name = 'b' where id = 2",
        )(tx as unknown as Database);
        throw new Error('no commit');
      })
      .catch(() => undefined);
    await db.transaction((tx) => tx.rollback()).catch(() => undefined);
  };
  const [notes] = await notesOf([undone], '1,1,1,1');
  expect(notes).toEqual(['undoes the update at step 1 and the update at step 3']);
});

test('the note on SKIP LOCKED names the session whose lock is skipped, but only while the lock is held', async () => {
  const skips: Program = async (db) => {
    for (let times = 0; times < 3; times++) await together([SKIP])(db);
  };
  const locks = together(['select id from companies where id = 1 for update']);
  const [, notes] = await notesOf([locks, skips], '2,2,1,2,2,1,2,2');
  expect(notes).toEqual(['skips the rows locked by S1']);
});

test.each([
  ['no row fits', RENAME, "select id from companies where name = 'z' for update skip locked"],
  [
    'perhaps another row fits',
    SKIP,
    'select id from companies where id = 0 for update skip locked',
  ],
])('SKIP LOCKED has no note if %s', async (_what, locks, skips) => {
  const [, notes] = await notesOf([together([locks]), together([skips])], '1,2,2,1');
  expect(notes).toEqual([]);
});

test('SKIP LOCKED has no note on a row that fits only inside the transaction that changed it', async () => {
  const skips = "select id from companies where id = 1 and name = 'a' for update skip locked";
  const [, notes] = await notesOf([together([RENAME, skips]), together([skips])], '1,1,2,2,1');
  expect(notes).toEqual([]);
});

test('the note on a rollback names no writes after a rollback to a savepoint', async () => {
  const undone = (db: Database) =>
    db
      .transaction(async (tx) => {
        await tx
          .transaction(async (inner) => {
            await alone(RENAME)(inner as unknown as Database);
            throw new Error('no commit');
          })
          .catch(() => undefined);
        throw new Error('no commit');
      })
      .catch(() => undefined);
  const [notes] = await notesOf([undone], '1,1,1');
  expect(notes).toEqual([]);
});

test('SKIP LOCKED in a subselect skips the rows that the same subselect has locked', async () => {
  const takes = `update companies set name = 'a'
    where id = (select id from companies where id = 1 and name = '' for update skip locked)`;
  const [, notes] = await notesOf([together([takes]), together([takes])], '1,2,2,1');
  expect(notes).toEqual(['skips the rows locked by S1']);
});

test.each(['repeatable read', 'serializable'] as const)(
  'the beginning of each transaction at %s has a note',
  async (level) => {
    const twice: Program = async (db) => {
      await together([RENAME], level)(db);
      await together(['select 1', RENAME], level)(db);
    };
    const note = `begins a transaction at ${level.toUpperCase()}: one snapshot for all its statements`;
    expect(await notesOf([twice], '1,1,1,1,1')).toEqual([[note, note]]);
  },
);

test('the commit of an autocommit write has the note autocommit, and other commits have no note', async () => {
  const [lone, transaction] = await notesOf([alone(RENAME), together([RENAME])], '1,1,2,2');
  expect([lone, transaction]).toEqual([['autocommit, since the statement stands alone'], []]);
});

test('the note on unseen writes says if their transaction has failed and cannot commit', async () => {
  const fails = together([RENAME, 'select 1 / 0']);
  const looks = alone(COUNT, COUNT);
  const [, notes] = await notesOf([fails, looks], '1,2,1,2,1');
  expect(notes).toEqual([
    'does not see the update at step 1: S1 has not committed',
    'does not see the update at step 1: the transaction of S1 failed at step 3, and can only roll back',
  ]);
});

describe('a note about a commit that came after the last read of the session', () => {
  const NOTE = 'S1 last looked at companies at step 1, before the commit of S2 at step 3';
  const UPDATE = "update companies set name = 'c' where id = 1";
  const LOCK = 'select pg_try_advisory_xact_lock(7) as locked';
  const COMMITS = 'autocommit, since the statement stands alone';

  test.each<[what: string, acts: string[], notes: string[]]>([
    ['is on a write', [UPDATE], [NOTE, COMMITS]],
    ['is on an advisory lock', [LOCK], [NOTE]],
    ['comes only once', [LOCK, UPDATE], [NOTE, COMMITS]],
    ['does not come if the session has read again', [COUNT, LOCK, UPDATE], [COMMITS]],
    ['does not come if the session only reads', ['select 1'], []],
  ])('%s', async (_, acts, notes) => {
    const steps = acts.flatMap((text) => (text === UPDATE ? ['1', '1'] : ['1']));
    const schedule = ['1', '2', '2', ...steps].join(',');
    expect(await notesOf([alone(COUNT, ...acts), alone(RENAME)], schedule)).toEqual([
      notes,
      [COMMITS],
    ]);
  });

  test('does not come if the other session rolled back', async () => {
    const fails = together([RENAME, 'select 1/0']);
    expect(await notesOf([alone(COUNT, LOCK), fails], '1,2,2,2,1')).toEqual([
      [],
      ['undoes the update at step 2'],
    ]);
  });
});

test('the note on an INSERT with ON CONFLICT says that its row exists already', async () => {
  const insert =
    "insert into companies (id, name) overriding system value values (1, '') on conflict do nothing";
  const none = "insert into companies (id, name) overriding system value select 1, '' where false";
  const [notes] = await notesOf([alone(insert, `${none} on conflict do nothing`)], '1,1,1,1');
  const commits = 'autocommit, since the statement stands alone';
  expect(notes).toEqual(['the row is there already', commits, commits]);
});

test.each<[what: string, sessions: Program[], schedule: string, names: RegExp]>([
  [
    'a commit that is not seen',
    [alone(RENAME), together([BY_SUBSELECT])],
    '1,2,1,2',
    /<waiting for ann>.*the commit of ann at.*as ann left it/,
  ],
  [
    'a lock that is skipped',
    [together([SKIP, COUNT]), together([SKIP])],
    '1,2',
    /the rows locked by ann/,
  ],
  [
    'a write that is not committed',
    [together([RENAME, COUNT]), alone(COUNT)],
    '1,2',
    /ann has not committed/,
  ],
  ['a death', [together([RENAME, COUNT])], '1,k1', /the process of ann dies/],
])('the transcript calls the sessions by their names: %s', async (_, sessions, schedule, names) => {
  const trial: Trial = { ...trialOf(sessions), deaths: 1 };
  const told = tell(await replay(stage, trial, schedule.split(',')), ['ann', 'bob']);
  const [, ...lines] = told.transcript.split('\n');
  const words = lines.join(' ').replaceAll(/\s+/g, ' ');
  expect(words).toMatch(names);
  expect(words).not.toMatch(/\bS\d\b/);
});
