import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { processOf } from '../../../src/process/process-table.ts';
import { inProject } from '../../../src/process/project.ts';
import { makeTmpDir, run } from '../../support/command.ts';
import { wordsOf } from '../../support/npm-scripts.ts';

const judged = (name: string) => inProject(path.join('test/lab/judge/judged', name));
const PATIENCE = { timeout: 30_000, interval: 50 };
const NAIVE = judged('wrong-naive.ts');

async function outputOf(command: string, args: string[]) {
  const child = run(`scripts/${command}.ts`, args, { DATABASE_URL: inject('scratchUrl') });
  const { code } = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Runs a line such as `npm run replay -- --file 'my file.ts' 1,2`, as a shell reads it. */
function paste(line: string) {
  const [, command = '', rest = ''] = /^npm run ([\w-]+) -- (.+)$/.exec(line) ?? [];
  return outputOf(command, wordsOf(rest));
}

/** The transcript that a command printed, from its first line to the line before `replay:`. */
const transcriptIn = (stdout: string) => /^ {6}S1[\s\S]+?(?=\nreplay: )/m.exec(stdout)?.[0] ?? '';

const replaysIn = (stdout: string) =>
  [...stdout.matchAll(/^ *replay: (npm run .+)$/gm)].map(([, line]) => line ?? '');

describe('the lines that a command prints can be pasted:', () => {
  test.each([
    ['claims', 'wrong-naive.ts'],
    ['queue', 'queue/wrong-finally.ts'],
    ['retries', 'retries/wrong-variable.ts'],
  ])('of the judge of %s', async (chapter, name) => {
    const file = path.join(makeTmpDir(), 'my file.ts');
    copyFileSync(judged(name), file);
    const { code, stdout } = await outputOf('judge', ['--file', file, '--chapter', chapter]);
    expect(code).toBe(1);
    const [first = '', ...others] = replaysIn(stdout);
    const played = await paste(first);
    expect(played.code, played.stderr).toBe(0);
    expect(played.stdout).toContain(transcriptIn(stdout));
    expect(stdout.match(/^ {6}S1/gm)).toHaveLength(1);
    const last = others.at(-1);
    if (last) expect((await paste(last)).stdout).toMatch(/^schedule: /m);
  });

  test('of the explorer, in another situation than the first', async () => {
    const args = ['--file', NAIVE, '--situation', 'rollback-again'];
    const { code, stdout } = await outputOf('explore', args);
    expect(code).toBe(1);
    const [line = ''] = replaysIn(stdout);
    expect(line).toMatch(/ --situation rollback-again$/);
    expect((await paste(line)).stdout).toContain(transcriptIn(stdout));
  });
});

describe('the race of a file', () => {
  test('counts what a file of claims does', async () => {
    // One round of five recruiters in three ends well by chance.
    const args = ['--file', NAIVE, '--rounds', '40', '--json'];
    const { code, stdout } = await outputOf('race-demo', args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).strategies).toMatchObject([{ strategy: 'wrong-naive', worst: 5 }]);
  });

  test.each([
    ['queue', 'queue/right-fenced-lease.ts'],
    ['retries', 'retries/right-nowait.ts'],
  ])('counts what a file of %s does', async (chapter, name) => {
    const args = ['--file', judged(name), '--chapter', chapter, '--rounds', '5', '--json'];
    const { code, stdout, stderr } = await outputOf('race-demo', args);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).strategies).toHaveLength(1);
  });
});

/** The arguments of each command that runs a file, after the file. */
const DOORS: [command: string, more: string[]][] = [
  ['judge', []],
  ['explore', []],
  ['replay', ['1,2']],
  ['race-demo', []],
];

/** A file with this text, in a folder of its own. */
function fileWith(text: string): string {
  const file = path.join(makeTmpDir(), 'mine.ts');
  writeFileSync(file, text);
  return file;
}

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

/** All commands load a file by one function, so one command has all bad files. */
const badFor = (command: string) =>
  BAD.filter(
    ([what]) => command === 'judge' || ['a syntax error', 'a call of process.exit'].includes(what),
  );

describe.each(DOORS)('npm run %s tells in one line, and with the exit code 2,', (command, more) => {
  test.each(badFor(command))('of %s', async (_, text, line) => {
    const { code, stdout, stderr } = await outputOf(command, ['--file', fileWith(text), ...more]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    ['a folder', [makeTmpDir()], /is no TypeScript or JavaScript file\.\n$/],
    ['a file that is not there', ['no-such.ts'], /^There is no file no-such\.ts\.\n$/],
    ['an unknown chapter', [NAIVE, '--chapter', 'x'], /^There is no chapter "x"\. .+\n$/],
  ])('of %s', async (_, [file = '', ...options], line) => {
    const { code, stdout, stderr } = await outputOf(command, ['--file', file, ...options, ...more]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
  });
});

describe('the judge', () => {
  test('shows a mistake in the types in one line, before the verdict', async () => {
    const text = readFileSync(NAIVE, 'utf8').replace('decision.slots', 'decision.slot');
    const { code, stderr } = await outputOf('judge', [fileWith(text)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\S+\/mine\.ts:11: Property 'slot' does not exist on type .+$/m);
  });

  test('says nothing of the types of a right file outside the project', async () => {
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

  test('tells of a failed promise that nobody awaited', async () => {
    const text = `export default async (db) => {
      void db.execute('select 1').then(() => { throw new Error('late'); });
      await db.execute('select 2');
      return { kind: 'full' };
    };`;
    const { code, stdout, stderr } = await outputOf('judge', [fileWith(text)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/mine\.ts:2: Error: late \(Nobody awaited this promise\.\)\n$/);
  });

  test.each([
    [
      'uses too much memory',
      'const all = []; for (;;) all.push({});',
      /^\S+mine\.ts: it uses too much memory\.\n$/,
    ],
    [
      'kills itself',
      "process.kill(process.pid, 'SIGKILL');",
      /^\S+mine\.ts: its process was ended by the signal SIGKILL\.\n$/,
    ],
    ['throws two lines', "throw 'a\\nb';", /^\S+mine\.ts: something .+ was thrown: a\n$/],
    [
      'says itself that it holds',
      `import fs from 'node:fs';
       const message = { kind: 'ended', code: 0 };
       process.send?.(message, undefined, undefined, () => process.exit());
       fs.writeSync(3, JSON.stringify({ secret: '', message }) + '\\n');
       process.exit();`,
      /^\S+mine\.ts: it ended the process, as process\.exit\(\) does\.\n$/,
    ],
    [
      'opens the channel again',
      `import { openChannel } from 'rowlock/lab/own/channel.ts';
       openChannel({ kind: 'ended', code: 0 });`,
      /^\S+mine\.ts:2: Error: The channel is open already\.\n$/,
    ],
  ])('tells in one line of a file that %s', async (_, text, line) => {
    const { code, stdout, stderr } = await outputOf('judge', [fileWith(text)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
  });

  test.each(['SIGINT', 'SIGKILL'] as const)('ends what a file starts, after %s', async (signal) => {
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
  });

  test('prints what the file prints on stderr', async () => {
    const text = readFileSync(judged('right-row-lock.ts'), 'utf8');
    const { stdout, stderr } = await outputOf('judge', [
      fileWith(`console.log('hello');\nprocess.stdout.write('world');\n${text}`),
      '--json',
    ]);
    expect(JSON.parse(stdout).verdict).toBe('holds');
    expect(stderr).toContain('hello\nworld');
  });
});
