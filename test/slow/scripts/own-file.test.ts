import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { processOf } from '../../../src/platform/process/process-table.ts';
import { run } from '../../support/command.ts';
import {
  DOORS,
  expectOneLine,
  expectReplays,
  fileWith,
  NAIVE,
  outputOf,
  paste,
  replaysIn,
  transcriptIn,
} from '../../support/own-file.ts';

// test/campaigns/scripts/own-file.test.ts tests the other chapters, and more bad files.

const PATIENCE = { timeout: 30_000, interval: 50 };

describe('a person can paste the printed replay command', () => {
  test('of the judge', () => expectReplays('retries', 'retries/wrong-variable.ts'));

  test('of the explorer, in a situation that is not the default', async () => {
    const args = ['--file', NAIVE, '--situation', 'rollback-again'];
    const { code, stdout } = await outputOf('explore', args);
    expect(code).toBe(1);
    const [line = ''] = replaysIn(stdout);
    expect(line).toMatch(/ --situation rollback-again$/);
    expect((await paste(line)).stdout).toContain(transcriptIn(stdout));
  });
});

test('the race demo races the strategy in a file', async () => {
  // With five recruiters, one round in three ends well by chance.
  const args = ['--file', NAIVE, '--rounds', '40', '--json'];
  const { code, stdout } = await outputOf('race-demo', args);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).strategies).toMatchObject([{ strategy: 'wrong-naive', worst: 5 }]);
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

test.each(DOORS)('npm run %s reports a syntax error in one line', (command, more) =>
  expectOneLine(
    command,
    ['--file', fileWith('const x = ;'), ...more],
    /mine\.ts:1: Unexpected ";"/,
  ),
);

describe('the judge', () => {
  test('shows a type error in one line, and then the verdict', async () => {
    const text = readFileSync(NAIVE, 'utf8').replace('decision.slots', 'decision.slot');
    const { code, stdout, stderr } = await outputOf('judge', [fileWith(text)]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '\nThis rule is broken: one slot is left: never more claims than slots\n',
    );
    expect(stderr).toMatch(/^\S+\/mine\.ts:11: Property 'slot' does not exist on type .+$/m);
  });

  test('reports a failed promise that nobody awaited', async () => {
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
      'reports its own verdict',
      `import fs from 'node:fs';
       const message = { kind: 'ended', code: 0 };
       process.send?.(message, undefined, undefined, () => process.exit());
       fs.writeSync(3, JSON.stringify({ secret: '', message }) + '\\n');
       process.exit();`,
      /^\S+mine\.ts: it ended the process, as process\.exit\(\) does\.\n$/,
    ],
    [
      'uses db inside a transaction of db',
      `export default (db) =>
         db.transaction(async (tx) => [await tx.execute('select 1'), await db.execute('select 2')]);`,
      /^\S+mine\.ts:2: db was used inside a transaction of db: use tx there\. .+\n$/,
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
      'kills itself',
      "process.kill(process.pid, 'SIGKILL');",
      /^\S+mine\.ts: its process was ended by the signal SIGKILL\.\n$/,
    ],
  ])('reports in one line a file that %s', (_, text, line) =>
    expectOneLine('judge', [fileWith(text)], line),
  );

  test('leaves no process that a file has started, even after SIGKILL', async () => {
    const text = `import { spawn } from 'node:child_process';
      const { pid } = spawn('sleep', ['600']);
      process.stdout.write('started ' + pid + '\\n');
      export default () => new Promise(() => {});`;
    const child = run('scripts/judge.ts', [fileWith(text)], {
      DATABASE_URL: inject('scratchUrl'),
    });
    const pidOf = () => Number(/^started (\d+)$/m.exec(child.stderr())?.[1]);
    await expect.poll(pidOf, PATIENCE).toBeGreaterThan(0);
    child.child.kill('SIGKILL');
    await child.ended;
    await expect.poll(() => processOf(pidOf())?.alive ?? false, PATIENCE).toBe(false);
  });
});
