import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Judgement } from '../../../src/lab/judge/judge.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir } from '../../support/command.ts';
import { blindFolder, judge, judgedFolder, judgementIn, judgementOf } from '../../support/judge.ts';

const faultsOf = ({ checks }: Judgement) => [
  ...new Set(checks.filter(({ holds }) => !holds).map(({ fault }) => fault)),
];

/** The situations in which a strategy falls. The race at full speed is no situation. */
const situationsOf = ({ checks }: Judgement) => [
  ...new Set(checks.flatMap(({ holds, situation }) => (holds ? [] : (situation ?? [])))),
];

/** The situation that alone finds a file, by the table in docs/explorer.md. */
const finders = new Map(
  [
    ...readFileSync(inProject('docs/explorer.md'), 'utf8').matchAll(/^\| `([\w-]+)` \| \[.+$/gm),
  ].flatMap(([row, situation = '']) =>
    [...row.matchAll(/judge\/(\w+)\/(?:wrong\/)?([\w-]+\.ts)\)/g)].map(
      ([, folder, name]) => [`${folder}/${name}`, situation] as const,
    ),
  ),
);

const foundAlone = [...finders].flatMap(([file, situation]) =>
  file.startsWith('blind/') ? [[file.slice('blind/'.length), situation] as const] : [],
);

/** Wrong strategies of `judgedFolder`, and all faults that the judge finds. */
const falling: [string, string[]][] = [
  ['wrong-naive.ts', ['oversold']],
  ['wrong-skips-locked.ts', ['unsold', 'untrue']],
  ['wrong-deadlocks.ts', ['deadlock', 'unsold', 'error']],
  ['wrong-no-retry.ts', ['unsold']],
  ['wrong-throws.ts', ['unsold', 'error']],
  ['wrong-every-job.ts', ['untrue', 'deadlock']],
  ['wrong-memory-queue.ts', ['oversold']],
  ['wrong-remembers-full.ts', ['unsold']],
  ['wrong-counts-every-job.ts', ['unsold', 'untrue']],
  ['wrong-duplicate-takes-a-slot.ts', ['unsold', 'untrue']],
  ['wrong-locks-all-claims.ts', ['oversold']],
  ['wrong-locks-newest-claim.ts', ['oversold']],
  ['wrong-locks-oldest-claim.ts', ['oversold']],
  ['wrong-locks-claims-of-job.ts', ['oversold']],
  ['wrong-locks-claims-of-company.ts', ['oversold']],
  ['wrong-locks-a-number-of-the-claims.ts', ['oversold']],
  ['wrong-locks-other-jobs.ts', ['oversold', 'deadlock', 'unsold']],
  ['wrong-locks-recruiter.ts', ['oversold']],
  ['wrong-locks-a-number-of-the-recruiter.ts', ['oversold']],
  ['wrong-locks-a-group-of-recruiters.ts', ['oversold']],
  ['wrong-locks-company-of-same-id.ts', ['oversold']],
  ['wrong-locks-recruiter-of-same-id.ts', ['oversold', 'deadlock', 'unsold']],
  ['wrong-locks-the-count.ts', ['oversold']],
  ['wrong-forgets-await.ts', ['oversold']],
  ['wrong-locks-a-second-job.ts', ['deadlock', 'unsold']],
  ['wrong-duplicate-elsewhere.ts', ['untrue']],
  ['wrong-counts-up-every-job.ts', ['untrue']],
  ['wrong-rounds-ids.ts', ['untrue', 'unsold']],
  ['wrong-compares-text.ts', ['unsold']],
  ['wrong-at-most-four.ts', ['unsold']],
  ['wrong-remembers-capacity.ts', ['unsold']],
  ['wrong-remembers-duplicates.ts', ['untrue']],
  ['wrong-missing-is-full.ts', ['untrue']],
  ['wrong-takes-back.ts', ['oversold', 'unsold']],
  ['wrong-error-is-full.ts', ['unsold']],
  ['wrong-error-is-duplicate.ts', ['untrue']],
  ['wrong-keeps-lock-after-error.ts', ['hang']],
  ['wrong-gives-up-as-full.ts', ['unsold']],
  ['wrong-busy-for-full.ts', ['untrue']],
  ['wrong-ends-every-lease.ts', ['untrue']],
  ['wrong-short-lease.ts', ['untrue']],
  ['wrong-removes-leases.ts', ['untrue']],
];

test('the page has mistakes that only one situation finds', () => {
  expect(foundAlone.length).toBeGreaterThan(0);
  const tried = [
    ...falling.map(([name]) => `judged/${name}`),
    ...foundAlone.map(([name]) => `blind/${name}`),
  ];
  expect(tried).toEqual(expect.arrayContaining([...finders.keys()]));
});

test.each(foundAlone)('%s falls only in %s', async (name, situation) => {
  const judgement = await judgementIn(path.join(blindFolder, 'wrong', name));
  expect(situationsOf(judgement)).toEqual([situation]);
});

test('the judge accepts a strategy that ignores the lease, since nobody asks for one', async () => {
  const judgement = await judgementIn(
    path.join(blindFolder, 'wrong', 'claims-forgets-the-lease.ts'),
  );
  expect(judgement.verdict).toBe('holds');
});

describe('the judge accepts the right strategies of a writer who did not know the situations:', () => {
  test.each(readdirSync(path.join(blindFolder, 'right')))('%s', async (name) => {
    const [chapter = ''] = name.split('-');
    const file = path.join(blindFolder, 'right', name);
    const judgement = await judgementIn(file, '--chapter', chapter);
    expect(faultsOf(judgement)).toEqual([]);
    expect([judgement.verdict, judgement.code]).toEqual(['holds', 0]);
  });
});

describe('the judge finds that a right strategy holds:', () => {
  test.each([
    'right-row-lock.ts',
    'right-function.ts',
    'right-conditional-update.ts',
    'right-advisory-lock.ts',
    'right-with-a-timer.ts',
    'right-locks-the-company.ts',
    'right-try-lock.ts',
    'right-nowait.ts',
    'right-serializable.ts',
    'right-session-lock.ts',
    'right-savepoint.ts',
  ])('%s', async (name) => {
    const judgement = await judgementOf(name);
    expect(faultsOf(judgement)).toEqual([]);
    expect([judgement.verdict, judgement.code]).toEqual(['holds', 0]);
    expect(judgement.checks.length).toBeGreaterThan(10);
  });
});

describe('the judge finds that a wrong strategy falls:', () => {
  test.each(falling)('%s, because of %j', async (name, faults) => {
    const judgement = await judgementOf(name);
    expect(new Set(faultsOf(judgement))).toEqual(new Set(faults));
    expect([judgement.verdict, judgement.code]).toEqual(['falls', 1]);
    const alone = finders.get(`judged/${name}`);
    if (alone) expect(situationsOf(judgement)).toEqual([alone]);
    const [fallen] = judgement.checks.filter(({ holds }) => !holds);
    expect(fallen?.counterexample?.transcript).toContain(fallen?.fault.toUpperCase());
  });
});

const ofQueue = (name: string) => judgementOf(`queue/${name}`, '--chapter', 'queue');

describe('the judge of queue finds that a right strategy holds:', () => {
  test.each([
    'right-fenced-lease.ts',
    'right-held-transaction.ts',
    'right-optimistic.ts',
    'right-keyword-clock.ts',
    'right-pauses.ts',
  ])('%s', async (name) => {
    const judgement = await ofQueue(name);
    expect(faultsOf(judgement)).toEqual([]);
    expect([judgement.verdict, judgement.code]).toEqual(['holds', 0]);
  });
});

const DEATH = 'the process of S1 dies';
const TIME = /-- two days pass\b.*afterwards/;

describe('the judge of queue finds that a wrong strategy falls:', () => {
  test.each([
    ['wrong-finally.ts', 'stuck', DEATH],
    ['wrong-own-clock.ts', 'stuck', /S1 dies.*its time is from before step \d+, where time passes/],
    ['wrong-late-heartbeat.ts', 'twice', DEATH],
    ['wrong-repeats-all.ts', 'twice', 'serialization failure'],
    ['wrong-finally-of-another.ts', 'overwritten', TIME],
    ['wrong-keeps-lock.ts', 'hang', /<waiting for S1>.* a lock that S1 kept after the end/],
    ['wrong-fence-by-time.ts', 'overwritten', TIME],
    ['wrong-optimistic.ts', 'overwritten', TIME],
    ['wrong-fails-a-sent-task.ts', 'untrue', /UNTRUE/],
    ['wrong-take-over.ts', 'overwritten', /S1 dies.* two days pass/],
    ['wrong-says-done.ts', 'misreported', /MISREPORTED/],
    ['wrong-says-lost.ts', 'misreported', /MISREPORTED/],
    ['wrong-says-nothing.ts', 'misreported', /MISREPORTED/],
    ['wrong-never-looks.ts', 'idle', /IDLE/],
    ['wrong-never-writes.ts', 'idle', /IDLE/],
  ])('%s by %s: %s', async (name, fault, words) => {
    const judgement = await ofQueue(name);
    expect([judgement.verdict, judgement.code]).toEqual(['falls', 1]);
    const fallen = judgement.checks.filter((each) => each.fault === fault && !each.holds);
    const transcripts = fallen.map(({ counterexample }) => counterexample?.transcript ?? '');
    expect(transcripts.join('\n').replace(/\s+/g, ' ')).toMatch(words);
  });
});

test('a strategy outside the project can import the project and its packages', async () => {
  const directory = makeTmpDir();
  const file = path.join(directory, 'mine.ts');
  copyFileSync(path.join(judgedFolder, 'right-row-lock.ts'), file);
  const { ended, stdout } = judge(file);
  expect((await ended).code).toBe(0);
  expect(stdout()).toMatch(/Verdict on my-row-lock: it holds\.\n$/);
});
