import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exploreFor } from '../../../src/explorer/package/explore.ts';
import { keptFileOf } from '../../../src/explorer/package/kept.ts';
import { bank } from '../../support/bank.ts';
import { makeTmpDir } from '../../support/command.ts';

let file: string;
let kept: string;
beforeEach(() => {
  file = path.join(makeTmpDir(), 'bank.test.ts');
  kept = keptFileOf(file);
});

const explore = (lock: '' | 'for update', others = {}) =>
  exploreFor({ file, line: 7 }, bank(lock, { name: 'money', keeps: true, ...others }));

test('a schedule that breaks the rule is kept, and is played first the next time', async () => {
  const found = await explore('');
  expect(found.remarks.at(-1)).toContain('bank.test.schedules.json. The next run plays it first.');
  expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({
    money: {
      rule: 'expected 160 to be 100',
      schedule: '1,2,2,2,2,1,1,1',
      steps: expect.arrayContaining([
        expect.stringMatching(/^1 S1: select balance from accounts where id = 1 *$/),
      ]),
    },
  });
  const again = await explore('');
  expect(again).toMatchObject({ schedules: 1, violations: 1, violation: { number: 0 } });
  expect(() => again.assertHolds()).toThrow(
    'The kept schedule was played first, and broke the rule.',
  );
});

test('if the statements have changed, the search begins anew, and the schedule is removed when all hold', async () => {
  await explore('');
  const found = await explore('for update');
  expect(found).toMatchObject({ isComplete: true, violation: undefined });
  const [fits, removed] = found.remarks;
  expect(fits).toMatch(/^The kept schedule no longer fits: Step 3 of the schedule is 2\./);
  expect(removed).toMatch(/^All schedules hold, so the kept schedule was removed from /);
  expect(existsSync(kept)).toBe(false);
});

test('without `keeps`, no file is written', async () => {
  await explore('', { keeps: false });
  expect(existsSync(kept)).toBe(false);
});
