import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTmpDir } from '../support/command.ts';
import { inTerminal, script, workshop } from '../support/workshop.ts';

// test/slow/scripts/workshop.test.ts has more. Each coach starts processes with tsx.
test('a lesson that is not there is refused in one line', async () => {
  const { ended, stderr } = workshop(makeTmpDir(), '--lesson', '17');
  expect((await ended).code).toBe(2);
  expect(stderr()).toBe(
    '--lesson must be a whole number from 1 to 16. See: npm run workshop -- --help\n',
  );
});

test('a malformed file of progress is refused in one line', async () => {
  const folder = makeTmpDir();
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  writeFileSync(path.join(folder, 'workshop/mine/progress.json'), '{');
  const { ended, stderr } = workshop(folder);
  expect((await ended).code).toBe(2);
  expect(stderr()).toBe(
    'workshop/mine/progress.json is malformed. Remove the file to begin with lesson 1.\n',
  );
});

test.runIf(script)('in a terminal it takes keys, and q ends it', async () => {
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
