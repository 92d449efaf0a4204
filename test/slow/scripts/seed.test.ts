import { expect, test } from 'vitest';
import { run } from '../../support/command.ts';
import { makeEmptyDatabase } from '../../support/database.ts';

test('npm run seed says whether it added the demo data', async () => {
  const DATABASE_URL = await makeEmptyDatabase();
  const seed = async () => {
    const { ended, stdout, stderr } = run('scripts/seed.ts', [], { DATABASE_URL });
    expect(await ended, stderr()).toEqual({ code: 0, signal: null });
    return stdout();
  };
  expect(await seed()).toBe('Added 6 companies, 24 jobs and 120 recruiters.\n');
  expect(await seed()).toBe('The database has companies already, so no demo data was added.\n');
});
