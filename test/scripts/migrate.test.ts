import { expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { whileLocked } from '../support/locks.ts';

test.for(['migrate', 'seed'])(
  'Ctrl-C ends npm run %s while it waits for a locked table',
  async (name) => {
    const databaseUrl = await makeDatabase();
    const lock = 'LOCK TABLE drizzle.__drizzle_migrations IN ACCESS EXCLUSIVE MODE';
    await whileLocked(databaseUrl, lock, async ({ untilWaitedFor }) => {
      const { child, ended, stdout, stderr } = run(`scripts/${name}.ts`, [], {
        DATABASE_URL: databaseUrl,
      });
      await untilWaitedFor();
      child.kill('SIGINT');
      expect([await ended, stdout(), stderr()]).toEqual([{ code: 130, signal: null }, '', '']);
    });
  },
);
