import { describe, expect, test } from 'vitest';
import { extensionOf } from '../../../../src/lab/lessons/lesson.ts';
import { lessonsWithScript, scriptExaminer, scriptFile } from '../../../support/scripts.ts';

const examine = scriptExaminer();

test('the lessons that ask for code or for a transaction have a script', () => {
  expect(lessonsWithScript.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7, 8, 11, 12, 13, 15]);
});

describe.each(lessonsWithScript)('lesson $number', (lesson) => {
  test('starter.sql falls like the starter file', async () => {
    const found = await examine(lesson, scriptFile(lesson, 'starter'));
    const isSchedule = extensionOf(lesson) === 'txt';
    const result = isSchedule ? 'no transaction' : lesson.exercise.starter;
    expect(found).toMatchObject({ kind: 'falls', result });
    expect(found.map?.orders.some(({ fault }) => fault !== '')).toBe(true);
  });

  // The right scripts of the queue take half a minute each. A campaign tries them.
  if (lesson.number <= 8)
    test('the solution holds', async () => {
      const found = await examine(lesson, scriptFile(lesson, 'solution'));
      expect(found).toMatchObject({ kind: 'solved' });
    });
});

test('a mistake in a script gets one line', async () => {
  const [, lesson] = lessonsWithScript;
  if (!lesson) throw new Error('there is no lesson');
  const wrong = async (text: string) => {
    const found = await examine(lesson, text);
    return 'line' in found ? found.line : found.result;
  };
  expect(await wrong('begin;\nselect capacity from job where id = :job;')).toBe(
    'script, line 2: relation "job" does not exist',
  );
  expect(await wrong('select 1 where :taken < 4')).toBe(
    'script, line 1: :taken has no value. No earlier statement returns a column of this name. The names here are :job, :recruiter.',
  );
  expect(await wrong('select null as held;\nselect :held is null;')).toContain(
    'script, line 2: could not determine data type of :held. Write its type, such as :held::bigint.',
  );
  expect(await wrong('insert into recruiters (name) values (null)')).toContain(
    'null value in column "name"',
  );
  expect(await wrong('select count(*) from job_claims where job_id = :job for update')).toBe(
    'script, line 1: FOR UPDATE is not allowed with aggregate functions',
  );
});

const result = async (number: number, text: string) => {
  const lesson = lessonsWithScript.find((each) => each.number === number);
  if (!lesson) throw new Error(`lesson ${number} has no script`);
  const found = await examine(lesson, text);
  return 'line' in found ? found.line : found.result;
};

test('a script without any claim does not solve the lesson about transactions', async () => {
  expect(await result(3, 'begin; select 1; commit')).toBe('unsold in last-slot');
});

const INSERT = `insert into job_claims (job_id, recruiter_id) select :job, :recruiter
  where (select count(*) from job_claims where job_id = :job) < :capacity;`;

test('a lock of the table that lets others read is right', async () => {
  const text = `begin; lock table job_claims in exclusive mode;
    select capacity from jobs where id = :job; ${INSERT} commit;`;
  expect(await result(4, text)).toBe('holds');
});

test('a lock of the session that nobody releases is a hang, and no slow statement', async () => {
  const text = `select pg_advisory_lock(:job); select capacity from jobs where id = :job; ${INSERT}`;
  expect(await result(4, text)).toBe('hang in last-slot');
});

test('a huge text in a row ends the server, and the reason is true', async () => {
  const text = "update tasks set worker = repeat('x', 20000000) where id = 1; \n\\send :worker";
  await expect(result(11, text)).rejects.toThrow('An answer was larger than the sandbox allows.');
});

test('a student may write rows, and may make nothing', async () => {
  const [, lesson] = lessonsWithScript;
  if (!lesson) throw new Error('there is no lesson');
  for (const text of [
    'select 1 into temp mine',
    'select * into public.mine from jobs',
    'select pg_sleep(1)',
    "select pg_read_file('PG_VERSION')",
    'select pg_terminate_backend(1)',
    'select * from pg_authid',
  ]) {
    const found = await examine(lesson, text);
    expect(found, text).toMatchObject({
      kind: 'unusable',
      line: expect.stringMatching(/permission denied|does not exist/),
    });
  }
});
