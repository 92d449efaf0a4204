import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTmpDir } from '../../support/command.ts';
import { expectUnusable, judge, judgedFolder, judgementOf } from '../../support/judge.ts';

// test/slow/docs.judged.test.ts tests right strategies. test/campaigns/scripts/judge.test.ts tests
// many more strategies.

test('wrong-after-rollback.ts oversells only when somebody rolls back', async () => {
  const judgement = await judgementOf('wrong-after-rollback.ts');
  expect([judgement.verdict, judgement.code]).toEqual(['falls', 1]);
  const fallen = judgement.checks.filter(({ holds }) => !holds);
  expect(fallen).toMatchObject([
    { fault: 'oversold', check: expect.stringContaining('rolls back and asks again') },
    // The second request of a recruiter is a duplicate, so its transaction rolls back too.
    { fault: 'oversold', check: expect.stringContaining('one recruiter asks twice') },
  ]);
  expect(fallen[0]?.counterexample?.transcript).toContain('OVERSOLD');
});

test('wrong-keeps-lock.ts falls, since the next worker waits for ever', async () => {
  const name = 'queue/wrong-keeps-lock.ts';
  const { verdict, code, checks } = await judgementOf(name, '--chapter', 'queue');
  expect([verdict, code]).toEqual(['falls', 1]);
  expect(checks).toMatchObject([
    { fault: 'hang', detail: expect.stringContaining('a lock that S1 kept after the end') },
  ]);
});

test('wrong-finally.ts has a function without a name, so the judge says which chapter it assumes', async () => {
  const { ended, stderr } = judge(path.join(judgedFolder, 'queue/wrong-finally.ts'));
  expect((await ended).code).toBe(1);
  expect(stderr()).toMatch(
    /wrong-finally\.ts is judged as a strategy of claims, .+\. --chapter names another chapter\.\n$/,
  );
});

test('the judge cannot run unusable-syntax.ts, from a folder outside the project', () =>
  expectUnusable('unusable-syntax.ts', /^\/.+\/unusable-syntax\.ts:2: Unexpected end of file$/m));

test('--map writes a picture of all orders of the first situation with a fault', async () => {
  const file = path.join(makeTmpDir(), 'orders.svg');
  const mine = path.join(judgedFolder, 'wrong-deadlocks.ts');
  const { ended, stderr } = judge(mine, '--map', file);
  expect((await ended).code).toBe(1);
  expect(stderr()).toMatch(/orders\.svg shows all \d+ orders of last-slot\.\n/);
  const picture = readFileSync(file, 'utf8');
  expect(picture).toMatch(/^<svg /);
  expect(picture).toMatch(/aria-label="\d+ orders: .*deadlocked/);
});

test('--map in a folder that is not there gets one line, before the judgement', async () => {
  const { ended, stderr } = judge(
    path.join(judgedFolder, 'right-row-lock.ts'),
    '--map',
    '/none/orders.svg',
  );
  expect((await ended).code).toBe(2);
  expect(stderr()).toContain('Cannot write the map: ENOENT: no such file or directory');
});

describe('the judge cannot run a strategy that hangs:', () => {
  test.each([
    ['hangs-on-a-promise.ts', /S1 and S2 never ended, at step 2$/],
    ['hangs-retrying.ts', /the schedule had not ended after 200 steps/],
  ])('%s', async (name, words) => {
    const { verdict, code, checks } = await judgementOf(name);
    expect([verdict, code]).toEqual(['hangs', 2]);
    expect(checks[0]?.detail).toMatch(words);
  });

  test('hangs-in-a-loop.ts, whose process the judge ends', async () => {
    const { ended, stderr } = judge(path.join(judgedFolder, 'hangs-in-a-loop.ts'));
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(
      /hangs-in-a-loop\.ts: it never gives the processor back, as an endless loop does\.\n$/,
    );
  });
});

describe('the judge cannot run', () => {
  test('unusable-missing-import.ts, from a folder outside the project', () =>
    expectUnusable('unusable-missing-import.ts', /\.ts:1: Could not resolve ".\/not-here.ts"$/m));

  test.each([
    [
      [path.join(judgedFolder, 'unusable-no-default.ts')],
      /has no default export that is a strategy/,
    ],
    [['/etc/hostname'], /^\/etc\/hostname is no TypeScript or JavaScript file\.\n$/],
    [[judgedFolder], /is no TypeScript or JavaScript file\.\n$/],
    [['no-such-file.ts'], /There is no file \S+\/no-such-file\.ts\./],
    [[], /One file is needed/],
  ])('with the arguments %j', async (args, words) => {
    const { ended, stderr } = judge(...args);
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(words);
  });
});
