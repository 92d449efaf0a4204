import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/explorer/stage.ts';
import { type PlayState, play } from '../../../src/lab/play/play.ts';
import { addressed, situationNamed } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** Plays a schedule, and keeps the sessions open, so that the test can query PostgreSQL. */
async function playTo(name: string, schedule: string): Promise<PlayState> {
  const state = await play(stage, {
    ...addressed(name),
    situation: situationNamed('last-slot'),
    sessions: 2,
    schedule: schedule.split(','),
  });
  if (typeof state === 'string') throw new Error(state);
  return state;
}

const holdersIn = ({ committed }: PlayState) =>
  committed.marks.filter(({ by }) => by !== 'nobody').length;

/**
 * The lock modes that conflict with each mode, from the manual's table of conflicting row-level
 * locks.
 */
const KEPT_OUT = {
  'FOR KEY SHARE': ['FOR UPDATE'],
  'FOR SHARE': ['FOR NO KEY UPDATE', 'FOR UPDATE'],
  'FOR NO KEY UPDATE': ['FOR SHARE', 'FOR NO KEY UPDATE', 'FOR UPDATE'],
  'FOR UPDATE': ['FOR KEY SHARE', 'FOR SHARE', 'FOR NO KEY UPDATE', 'FOR UPDATE'],
};
type Mode = keyof typeof KEPT_OUT;
const MODES = Object.keys(KEPT_OUT) as Mode[];

/** Returns the modes in which another session cannot lock the row now. */
async function keptOut(table: string, condition: string): Promise<string[]> {
  const out: string[] = [];
  for (const mode of MODES) {
    const rows = await stage.run(`select 1 from ${table} where ${condition} ${mode} skip locked`);
    if (rows.length === 0) out.push(mode);
  }
  return out;
}

const rowLocks = ({ locks }: PlayState, what: string) =>
  locks.held.filter((lock) => lock.kind === 'row' && lock.what === what);

describe('the shown row locks are the row locks of PostgreSQL', () => {
  test.each([
    ['row-lock', '1', 'jobs', 'job 1', ['FOR UPDATE']],
    ['row-lock', '1,2', 'jobs', 'job 1', ['FOR UPDATE']],
    ['no-key-update', '1', 'jobs', 'job 1', ['FOR NO KEY UPDATE']],
    ['share-lock', '1,2', 'jobs', 'job 1', ['FOR SHARE', 'FOR SHARE']],
    ['naive', '1,2', 'jobs', 'job 1', []],
    ['naive', '1,2,1,2', 'jobs', 'job 1', ['FOR KEY SHARE', 'FOR KEY SHARE']],
    ['naive', '1,1', 'recruiters', 'recruiter 1', ['FOR KEY SHARE']],
    ['counter-row', '1', 'lab_claims.counters', 'counter of job 1', ['FOR UPDATE']],
    ['conditional-update', '1', 'lab_claims.counters', 'counter of job 1', ['FOR NO KEY UPDATE']],
  ])('%s after the schedule %s, in the table %s', async (name, schedule, table, what, modes) => {
    const locks = rowLocks(await playTo(name, schedule), what);
    expect(locks.map(({ mode }) => mode.split(',')[0])).toEqual(modes);
    const expected = MODES.filter((mode) =>
      modes.some((held) => KEPT_OUT[held as Mode].includes(mode)),
    );
    const id = table === 'lab_claims.counters' ? 'job_id' : 'id';
    expect(await keptOut(table, `${id} = 1`)).toEqual(expected);
  });

  test('no row lock is left at the end', async () => {
    const { locks, sessions } = await playTo('row-lock', '1,2,1,1,1,2,2');
    expect(locks).toEqual({ held: [], rowsShown: true });
    expect(sessions.map(({ transaction }) => transaction)).toEqual([null, null]);
    expect(await keptOut('jobs', 'id = 1')).toEqual([]);
  });
});

test('each session holds its own locks, and a session that waits does not hold the lock yet', async () => {
  const shared = await playTo('insert-then-lock', '1,2,1');
  expect(rowLocks(shared, 'job 1').map(({ session }) => session)).toEqual([1, 2]);
  expect(rowLocks(shared, 'recruiter 2').map(({ session }) => session)).toEqual([2]);
  const waiting = await playTo('row-lock', '2,1');
  expect(waiting.locks.held.map(({ session }) => session)).toEqual([2]);
});

test('an advisory lock is shown with its number, and no other session can take this lock', async () => {
  const { locks } = await playTo('advisory-lock', '1,2');
  expect(locks.held).toEqual([
    { session: 1, kind: 'advisory', what: 'number 1', mode: 'ExclusiveLock' },
  ]);
  const [row] = await stage.run('select pg_try_advisory_lock(1) as mine');
  expect(row).toEqual({ mine: false });
});

test('the reads of a SERIALIZABLE transaction are shown as a predicate lock', async () => {
  const { locks } = await playTo('serializable', '1');
  expect(locks.held).toContainEqual(
    expect.objectContaining({ session: 1, kind: 'predicate', what: 'reads of job_claims' }),
  );
});

describe('a snapshot', () => {
  /** Returns the result of the last step of the schedule. */
  const lastResult = ({ told }: PlayState) => told.steps.at(-1)?.acts[0]?.result;

  test('is taken anew for each statement under READ COMMITTED', async () => {
    const { sessions } = await playTo('row-lock', '1,2,1,1,1');
    const transaction = { isolation: 'read committed', snapshotOfStep: null, hasFailed: false };
    expect(sessions.map((each) => each.transaction)).toEqual([null, transaction]);
    const counted = await playTo('row-lock', '1,2,1,1,1,2');
    expect([holdersIn(counted), lastResult(counted)]).toEqual([
      4,
      'capacity 4, claimed 4, held false',
    ]);
  });

  test('is taken by the first statement under REPEATABLE READ, and does not show later commits', async () => {
    const { sessions } = await playTo('stale-snapshot', '1,1,1,2,1');
    const transaction = { isolation: 'repeatable read', snapshotOfStep: 4, hasFailed: false };
    expect(sessions.map((each) => each.transaction)).toEqual([null, transaction]);
    const counted = await playTo('stale-snapshot', '1,1,1,2,1,2');
    expect([holdersIn(counted), lastResult(counted)]).toEqual([4, '3 rows']);
  });

  test('is taken by the first statement under SERIALIZABLE, separately in each session', async () => {
    const { sessions } = await playTo('serializable', '2,1,1');
    expect(sessions.map((each) => each.transaction)).toEqual([
      { isolation: 'serializable', snapshotOfStep: 2, hasFailed: false },
      { isolation: 'serializable', snapshotOfStep: 1, hasFailed: false },
    ]);
  });
});
