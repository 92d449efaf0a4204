import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTmpDir, run } from '../support/command.ts';

/** A coach that ends before it tries a file, so it needs no TypeScript. */
const refused = (folder: string, ...args: string[]) => run('scripts/workshop.ts', args, {}, folder);

// test/slow/scripts/workshop.test.ts has more. A coach that works starts processes with tsx.
test('a lesson that is not there is refused in one line', async () => {
  const { ended, stderr } = refused(makeTmpDir(), '--lesson', '17');
  expect((await ended).code).toBe(2);
  expect(stderr()).toBe(
    '--lesson must be a whole number from 1 to 16. See: npm run workshop -- --help\n',
  );
});

test('a malformed file of progress is refused in one line', async () => {
  const folder = makeTmpDir();
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  writeFileSync(path.join(folder, 'workshop/mine/progress.json'), '{');
  const { ended, stderr } = refused(folder);
  expect((await ended).code).toBe(2);
  expect(stderr()).toBe(
    'workshop/mine/progress.json is malformed. Remove the file to begin with lesson 1.\n',
  );
});
