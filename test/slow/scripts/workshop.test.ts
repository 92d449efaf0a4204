import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { solutionOf, starterOf } from '../../../src/lab/lessons/lesson.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir, run } from '../../support/command.ts';
import { solvedLike } from '../../support/solved.ts';
import { inTerminal, lessonOf, workshop } from '../../support/workshop.ts';

/** A file that is not TypeScript. */
const PAGE = inProject('README.md');

test.concurrent.each([
  ['the starter falls', 1, starterOf, /\nschedule: [12,]+\n\nNOT YET\. It oversells\..+$/],
  ['the solution holds', 0, solutionOf, new RegExp(`^${solvedLike('claims/row-lock')}$`)],
  ['a strategy is missing', 2, () => PAGE, /^workshop\/mine\/04-the-lock\.ts:1: .+$/],
] as const)('without a terminal the coach judges a file: %s', async (_, code, copied, words) => {
  const folder = makeTmpDir();
  const lesson = lessonOf(4);
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  copyFileSync(copied(lesson), path.join(folder, 'workshop/mine/04-the-lock.ts'));
  const { ended, stdout, stderr } = workshop(folder, '--lesson', '4');
  expect(await ended, stderr()).toEqual({ code, signal: null });
  const [head, ...rest] = stdout().trimEnd().split('\n');
  expect(head).toBe('Lesson 4: The lock');
  expect(rest.join('\n')).toMatch(words);
  expect(stdout()).not.toContain('\x1b');
});

test('--check says that a starter falls, and that its solution holds', async () => {
  const check = workshop(makeTmpDir(), '--check', '--lesson', '5');
  expect(await check.ended, check.stdout() + check.stderr()).toEqual({ code: 0, signal: null });
  expect(check.stdout().split('\n')).toEqual([
    ' 5. The trap',
    '    starter:  right (oversold in last-slot)',
    '    solution: right (holds)',
    'The lesson is as it says.',
    '',
  ]);
});

test('in a terminal the coach takes keys, and q ends the coach', { tags: ['script'] }, async () => {
  const folder = makeTmpDir();
  const { ended, says, stdout, type } = inTerminal(folder, '--lesson', '2');
  await says(/a, b, c your prediction/);
  type('c');
  await says(/NOT YET\. The end of this schedule: 4 claims, 4 slots\./);
  writeFileSync(path.join(folder, 'workshop/mine/02-you-are-the-scheduler.txt'), '1, 2, 1, 2');
  await says(/SOLVED\. You did it\. The end of this schedule: 5 claims, 4 slots\./);
  type('q');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(stdout()).toContain('You predicted C. The answer is C.');
  const progress = readFileSync(path.join(folder, 'workshop/mine/progress.json'), 'utf8');
  expect(JSON.parse(progress)).toMatchObject({ lesson: 2, solved: [2] });
});

test('Ctrl-C ends the coach, even while it tries a file', { tags: ['script'] }, async () => {
  const { ended, says, type } = inTerminal(makeTmpDir(), '--lesson', '1');
  await says(/your prediction/);
  type('a');
  await says(/Trying your file/);
  type('\x03');
  expect((await ended).code).toBe(130);
});

/** Runs a coach that ends before it judges a file, so it needs no TypeScript. */
const refused = (folder: string, ...args: string[]) => run('scripts/workshop.ts', args, {}, folder);

test('a lesson that does not exist is refused in one line', async () => {
  const { ended, stderr } = refused(makeTmpDir(), '--lesson', '18');
  expect((await ended).code).toBe(2);
  expect(stderr()).toBe(
    '--lesson must be a whole number from 1 to 17. See: npm run workshop -- --help\n',
  );
});

test('a malformed progress file is refused in one line', async () => {
  const folder = makeTmpDir();
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  writeFileSync(path.join(folder, 'workshop/mine/progress.json'), '{');
  const { ended, stderr } = refused(folder);
  expect((await ended).code).toBe(2);
  expect(stderr()).toBe(
    'workshop/mine/progress.json is malformed. Remove the file to begin with lesson 1.\n',
  );
});
