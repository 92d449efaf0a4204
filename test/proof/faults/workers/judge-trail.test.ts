import { describe, expect, test } from 'vitest';
import {
  type AttemptRow,
  judgeAnswers,
  judgeAttempts,
  judgeTrail,
  type TaskRow,
} from '../../../../proof/faults/workers/judge-trail.ts';
import type { Change, TaskState } from '../../../../proof/faults/workers/trail.ts';

const ATTEMPTS = 3;

const state = (
  attempt: number,
  isLeased: boolean,
  ended: TaskState['ended'] = null,
): TaskState => ({
  attempt,
  attemptsLeft: ATTEMPTS - attempt,
  isLeased,
  ended,
});
const waits = (attempt: number) => state(attempt, false);
const runs = (attempt: number) => state(attempt, true);
const isDone = (attempt: number) => state(attempt, false, 'done');
const isDead = (attempt: number) => state(attempt, false, 'dead');

/** Returns a change of the task by this account. By default, a lease in `before` is still valid. */
const by = (
  account: string,
  before: TaskState,
  after: TaskState,
  wasHeld = before.isLeased,
): Change => ({ taskId: '7', by: account, before, after, wasHeld });

const judge = (...changes: Change[]) => {
  const { findings, ends } = judgeTrail(changes, 'operator');
  return { findings: findings.map(({ promise, what }) => `${promise}: ${what}`), ends };
};
const endsOf = (ends: Map<string, string>) => [...ends.values()];

const began = by('one', waits(0), runs(1));
/** The lease of the first attempt has ended, and another worker takes the task. */
const tookOver = by('two', runs(1), runs(2), false);

describe('the trail of honest workers has no finding:', () => {
  test.each<[string, Change[], string[]]>([
    ['a task is done', [began, by('one', runs(1), isDone(1))], ['done']],
    [
      'a lease is renewed',
      [began, by('one', runs(1), runs(1)), by('one', runs(1), isDone(1))],
      ['done'],
    ],
    [
      'an attempt fails, and the next attempt succeeds',
      [
        began,
        by('one', runs(1), waits(1)),
        by('two', waits(1), runs(2)),
        by('two', runs(2), isDone(2)),
      ],
      ['failed', 'done'],
    ],
    ['a task is taken over', [began, tookOver, by('two', runs(2), isDone(2))], ['lost', 'done']],
    [
      'a task is given back, and its attempt does not count',
      [began, by('one', runs(1), { ...waits(1), attemptsLeft: ATTEMPTS })],
      ['given back'],
    ],
    [
      'another worker ends a task whose last attempt was lost',
      [by('one', waits(2), runs(3)), by('two', runs(3), isDead(3), false)],
      ['lost'],
    ],
    [
      'a person makes a waiting task due',
      [began, by('one', runs(1), waits(1)), by('operator', waits(1), waits(1))],
      ['failed'],
    ],
    [
      'a worker writes its outcome late, but before another worker takes the task',
      [began, by('one', runs(1), isDone(1), false)],
      ['done'],
    ],
  ])('%s', (_, changes, ends) => {
    const judged = judge(...changes);
    expect(judged.findings).toEqual([]);
    expect(endsOf(judged.ends)).toEqual(ends);
  });
});

const WRITES = 'only the holder writes an outcome: task 7:';
const HOLDS = 'each task has one holder: task 7:';

describe('the trail shows', () => {
  test.each<[string, Change[], string]>([
    [
      'an outcome over the attempt of another worker',
      [began, tookOver, by('one', runs(2), isDone(2))],
      `${WRITES} one wrote done over attempt 2 of two`,
    ],
    [
      'a lease over the attempt of another worker',
      [began, tookOver, by('one', runs(2), runs(2))],
      `${WRITES} one wrote a lease over attempt 2 of two`,
    ],
    [
      'an outcome over a task that is done',
      [began, tookOver, by('two', runs(2), isDone(2)), by('one', isDone(2), waits(2))],
      `${WRITES} one wrote a failure over a task that is done after attempt 2`,
    ],
    [
      'an outcome over a task that waits',
      [began, tookOver, by('two', runs(2), waits(2)), by('one', waits(2), isDone(2))],
      `${WRITES} one wrote done over a task that waits after attempt 2`,
    ],
    [
      'a claim of a task whose lease is still valid',
      [began, by('two', runs(1), runs(2))],
      `${HOLDS} attempt 2 began while attempt 1 held the task`,
    ],
    [
      'a claim of a task that is done',
      [began, by('one', runs(1), isDone(1)), by('two', isDone(1), runs(2))],
      `${HOLDS} attempt 2 began after the task was done`,
    ],
    [
      'a claim that skips the number of an attempt',
      [by('one', waits(0), { ...runs(2), attemptsLeft: ATTEMPTS - 1 })],
      `${HOLDS} attempt 2 followed attempt 0`,
    ],
    [
      'a claim that does not reduce the attempts that are left',
      [by('one', waits(0), { ...runs(1), attemptsLeft: ATTEMPTS })],
      'each attempt ends once: task 7: attempt 1 left 3 of 3 attempts at its beginning',
    ],
    [
      'a failure that gives an attempt back twice',
      [began, by('one', runs(1), { ...waits(1), attemptsLeft: ATTEMPTS + 1 })],
      'each attempt ends once: task 7: attempt 1 left 4 of 2 attempts at its end',
    ],
  ])('%s', (_, changes, finding) => {
    expect(judge(...changes).findings).toContain(finding);
  });
});

describe('the recorded attempts', () => {
  const { ends } = judge(began, tookOver, by('two', runs(2), isDone(2)));
  const task: TaskRow = { id: '7', attempt: 2, ended: 'done' };
  const lost: AttemptRow = { taskId: '7', attempt: 1, ended: 'lost' };
  const found = (tasks: TaskRow[], rows: AttemptRow[]) =>
    judgeAttempts(tasks, rows, ends).map(({ promise, what }) => `${promise}: ${what}`);

  test('agree with the trail', () => {
    expect(found([task], [lost])).toEqual([]);
  });

  test.each<[string, TaskRow[], AttemptRow[], string]>([
    [
      'miss an attempt',
      [task],
      [],
      'each attempt ends once: attempt 1 of task 7 ended lost, and is recorded as nothing',
    ],
    [
      'have a wrong end',
      [task],
      [{ ...lost, ended: 'failed' }],
      'each attempt ends once: attempt 1 of task 7 ended lost, and is recorded as failed',
    ],
    [
      'have an attempt that never began',
      [task],
      [lost, { ...lost, attempt: 3 }],
      'each attempt ends once: attempt 3 of task 7 is recorded, and never began',
    ],
    [
      'have no end for the latest attempt',
      [{ ...task, attempt: 3 }],
      [lost],
      'each attempt ends once: attempt 3 of task 7 has no end',
    ],
  ])('%s', (_, tasks, rows, finding) => {
    expect(found(tasks, rows)).toEqual([finding]);
  });

  test.each(['dead', 'cancelled', null])('a task that is %s at the end is stuck', (ended) => {
    expect(found([{ ...task, ended }], [lost])).toEqual([
      `no task is stuck: task 7 is ${ended ?? 'not finished'}`,
    ]);
  });
});

describe('the answers of receivers', () => {
  const { ends } = judge(began, tookOver, by('two', runs(2), isDone(2)));
  const tasks = [{ id: '7', attempt: 2, ended: 'done' }];

  test('are recorded only by attempts that wrote an outcome', () => {
    expect(judgeAnswers(tasks, [{ taskId: '7', answers: 1 }], ends)).toEqual([]);
  });

  test('are a finding if a lost attempt has recorded an answer', () => {
    expect(judgeAnswers(tasks, [{ taskId: '7', answers: 2 }], ends)).toEqual([
      {
        promise: 'only the holder writes an outcome',
        what: 'task 7 has 2 answers of 1 attempts with an outcome',
      },
    ]);
  });
});
