import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { processOf } from '../../../src/platform/process/process-table.ts';
import { makeTmpDir, run } from '../../support/command.ts';
import {
  DOORS,
  expectOneLine,
  expectReplays,
  fileWith,
  judged,
  NAIVE,
  outputOf,
  paste,
  replaysIn,
  transcriptIn,
} from '../../support/own-file.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };

test.each([
  ['claims', 'wrong-naive.ts'],
  ['retries', 'retries/wrong-variable.ts'],
  ['queue', 'queue/wrong-finally.ts'],
])('the replay commands that the judge of %s prints can be run', expectReplays);

test('a person can paste the replay command of the explorer, in a situation that is not the default', async () => {
  const args = ['--file', NAIVE, '--situation', 'rollback-again'];
  const { code, stdout } = await outputOf('explore', args);
  expect(code).toBe(1);
  const [line = ''] = replaysIn(stdout);
  expect(line).toMatch(/ --situation rollback-again$/);
  expect((await paste(line)).stdout).toContain(transcriptIn(stdout));
});

test.each([
  ['explore', ['--situation', 'calm']],
  ['replay', ['1', '--situation', 'calm']],
  ['race-demo', ['--workers', '3', '--rounds', '1']],
])('npm run %s takes a function with the name work as a worker', async (command, more) => {
  const file = fileWith('export default async function work() { return { kind: "idle" }; }');
  const { code, stderr } = await outputOf(command, ['--file', file, ...more]);
  expect(code, stderr).not.toBe(2);
});

describe('the race of a file', () => {
  test.each([
    ['queue', 'queue/right-fenced-lease.ts'],
    ['retries', 'retries/right-nowait.ts'],
  ])('runs and counts the results for a file of %s', async (chapter, name) => {
    const args = ['--file', judged(name), '--chapter', chapter, '--rounds', '5', '--json'];
    const { code, stdout, stderr } = await outputOf('race-demo', args);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).strategies).toHaveLength(1);
  });
});

const USE = 'export default async (db) => ({ kind: "full" });';
const BAD: [what: string, text: string, line: RegExp][] = [
  ['a syntax error', 'const x = ;', /mine\.ts:1: Unexpected ";"/],
  ['a missing file', '\nimport "./other.ts";', /mine\.ts:2: Could not resolve "\.\/other\.ts"/],
  [
    'a missing package',
    `import no from "no-such";\n${USE}no();`,
    /mine\.ts:1: the project has no package no-such\./,
  ],
  [
    'no default export',
    'export const a = 1;',
    /mine\.ts has no default export that is a strategy of claims: /,
  ],
  ['an error at import', '\n\nthrow new Error("oh\\nno");', /mine\.ts:3: Error: oh/],
  ['null thrown at import', 'throw null;', /mine\.ts: something that is no Error was thrown: null/],
  [
    'a call of process.exit',
    'process.exit(0);',
    /mine\.ts: it ended the process, as process\.exit\(\) does\./,
  ],
  [
    'an endless loop',
    'for (;;);',
    /mine\.ts: it never gives the processor back, as an endless loop does\./,
  ],
];

/**
 * Returns the bad files for a command. All commands use one loader, so only `judge` is tested with
 * all files.
 */
const badFor = (command: string) =>
  BAD.filter(
    ([what]) => command === 'judge' || ['a syntax error', 'a call of process.exit'].includes(what),
  );

describe.each(DOORS)('npm run %s exits with code 2 after one line about', (command, more) => {
  test.each(badFor(command))('%s', async (_, text, line) => {
    await expectOneLine(command, ['--file', fileWith(text), ...more], line);
  });

  test.each([
    ['a folder', [makeTmpDir()], /is no TypeScript or JavaScript file\.\n$/],
    ['a file that is not there', ['no-such.ts'], /^There is no file \S+\/no-such\.ts\.\n$/],
    ['an unknown chapter', [NAIVE, '--chapter', 'x'], /^There is no chapter "x"\. .+\n$/],
  ])('%s', async (_, [file = '', ...options], line) => {
    await expectOneLine(command, ['--file', file, ...options, ...more], line);
  });
});

describe('the judge', () => {
  test('prints no type error for a right file outside the project', async () => {
    const file = fileWith(readFileSync(judged('right-row-lock.ts'), 'utf8'));
    const { code, stderr } = await outputOf('judge', [file]);
    expect(code).toBe(0);
    expect(stderr).not.toContain('mine.ts');
  });

  test('shows an error of the code once, with its line', async () => {
    const { code, stdout } = await outputOf('judge', [judged('wrong-throws.ts')]);
    expect(code).toBe(1);
    const lines = stdout.split('\n').filter((line) => /nobody wrote this part/.test(line));
    expect(lines).toEqual([
      'test/lab/judge/judged/wrong-throws.ts:8: Error: nobody wrote this part',
    ]);
  });

  test.each([
    [
      'reports its own verdict',
      `import fs from 'node:fs';
       const message = { kind: 'ended', code: 0 };
       process.send?.(message, undefined, undefined, () => process.exit());
       fs.writeSync(3, JSON.stringify({ secret: '', message }) + '\\n');
       process.exit();`,
      /^\S+mine\.ts: it ended the process, as process\.exit\(\) does\.\n$/,
    ],
    [
      'does not await a statement',
      `export default async (db) => {
         void db.execute('select 1').then(() => undefined);
         return { kind: 'full' };
       };`,
      /^\S+mine\.ts: nobody awaited select 1: the session ended before\.\n$/,
    ],
    [
      'uses too much memory',
      // Each part is small. Filling all memory in one step would keep the processor for seconds.
      `const much = [];
      export default async () => {
        for (;;) {
          much.push(Buffer.alloc(20_000_000, 1));
          await new Promise(setImmediate);
        }
      };`,
      /^\S+mine\.ts: it uses too much memory\.\n$/,
    ],
    [
      'uses more and more memory',
      'const all = []; for (;;) all.push(new Array(1e6).fill(0));',
      /^\S+mine\.ts: it uses too much memory\.\n$/,
    ],
    ['throws two lines', "throw 'a\\nb';", /^\S+mine\.ts: something .+ was thrown: a\n$/],
    [
      'opens the channel again',
      `import { openChannel } from 'rowlock/lab/own/channel.ts';
       openChannel({ kind: 'ended', code: 0 });`,
      /^\S+mine\.ts:2: Error: The channel is open already\.\n$/,
    ],
  ])('prints one line about a file that %s', async (_, text, line) => {
    await expectOneLine('judge', [fileWith(text)], line);
  });

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves no process that a file has started, even after %s',
    async (signal) => {
      const text = `import { spawn } from 'node:child_process';
      const { pid } = spawn('sleep', ['600']);
      process.stdout.write('started ' + pid + '\\n');
      export default () => new Promise(() => {});`;
      const child = run('scripts/judge.ts', [fileWith(text)], {
        DATABASE_URL: inject('scratchUrl'),
      });
      const pidOf = () => Number(/^started (\d+)$/m.exec(child.stderr())?.[1]);
      await expect.poll(pidOf, PATIENCE).toBeGreaterThan(0);
      child.child.kill(signal);
      await child.ended;
      await expect.poll(() => processOf(pidOf())?.alive ?? false, PATIENCE).toBe(false);
    },
  );

  test('writes the output of the file to stderr', async () => {
    const text = readFileSync(judged('right-row-lock.ts'), 'utf8');
    const { stdout, stderr } = await outputOf('judge', [
      fileWith(`console.log('hello');\nprocess.stdout.write('world');\n${text}`),
      '--json',
    ]);
    expect(JSON.parse(stdout).verdict).toBe('holds');
    expect(stderr).toContain('hello\nworld');
  });
});
