import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectOneLine, fileWith, NAIVE, outputOf } from '../../support/own-file.ts';

// test/campaigns/scripts/own-file.test.ts tests the other chapters, and more bad files.

test('the race demo races the strategy in a file', async () => {
  // With five recruiters, one round in three ends well by chance.
  const args = ['--file', NAIVE, '--rounds', '40', '--json'];
  const { code, stdout } = await outputOf('race-demo', args);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).strategies).toMatchObject([{ strategy: 'wrong-naive', worst: 5 }]);
});

describe('the judge', () => {
  test('reports a syntax error in one line', () =>
    expectOneLine('judge', [fileWith('const x = ;')], /mine\.ts:1: Unexpected ";"/));

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
      'uses db inside a transaction of db',
      `export default (db) =>
         db.transaction(async (tx) => [await tx.execute('select 1'), await db.execute('select 2')]);`,
      /^\S+mine\.ts:2: db was used inside a transaction of db: use tx there\. .+\n$/,
    ],
    [
      'kills itself',
      "process.kill(process.pid, 'SIGKILL');",
      /^\S+mine\.ts: its process was ended by the signal SIGKILL\.\n$/,
    ],
  ])('reports in one line a file that %s', (_, text, line) =>
    expectOneLine('judge', [fileWith(text)], line),
  );
});
