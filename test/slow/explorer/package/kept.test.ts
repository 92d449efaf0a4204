import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exploreFor } from '../../../../src/explorer/package/explore.ts';
import { keptFileOf } from '../../../../src/explorer/package/kept.ts';
import { bank } from '../../../support/bank.ts';
import { makeTmpDir } from '../../../support/command.ts';

let file: string;
let kept: string;
beforeEach(() => {
  file = path.join(makeTmpDir(), 'bank.test.ts');
  kept = keptFileOf(file);
});

const explore = (lock: '' | 'for update', others = {}) =>
  exploreFor({ file, line: 7 }, bank(lock, { name: 'money', keeps: true, ...others }));

test('if only the text of a step has changed, the remark names the step', async () => {
  await explore('');
  const all = JSON.parse(readFileSync(kept, 'utf8'));
  all.money.steps[3] = '2 S2: update accounts set balance = 0';
  writeFileSync(kept, JSON.stringify(all));
  const found = await explore('');
  expect(found.remarks[0]).toMatch(
    /no longer fits: step 4 was 2 S2: update accounts set balance = 0, and is 2 S2: update accounts set balance = balance/,
  );
  expect(found.violation?.number).toBe(3);
});

test('each exploration of a file has its own schedule', async () => {
  await explore('');
  await explore('', { name: 'other money' });
  expect(Object.keys(JSON.parse(readFileSync(kept, 'utf8')))).toEqual(['money', 'other money']);
});

test('two lines of a file cannot use one name', async () => {
  await explore('for update', { name: 'twice' });
  const order = bank('for update', { name: 'twice' });
  await expect(exploreFor({ file, line: 8 }, order)).rejects.toThrow(
    'Lines 7 and 8 both explore "twice". Give each of them a `name`.',
  );
});

test.each(['nonsense', '{"money": {}}', '[1]'])('a damaged file is refused: %s', async (text) => {
  writeFileSync(kept, text);
  await expect(explore('')).rejects.toThrow(
    `${kept} has no schedules of the explorer. Restore or remove the file.`,
  );
  expect(readFileSync(kept, 'utf8')).toBe(text);
});
