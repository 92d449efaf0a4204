import { afterAll, expect, inject, test, vi } from 'vitest';
import { withTwoScratchDatabases } from '../../../scripts/arena.ts';
import { databaseIn } from '../../../src/platform/db/hosts.ts';
import { dropLeftovers } from '../../../src/platform/postgres/scratch.ts';
import { onScratch } from '../../support/sessions.ts';

afterAll(() => void vi.unstubAllEnvs());

test('other commands keep both scratch databases, even after all sessions of these databases were ended', async () => {
  const server = inject('scratchUrl');
  vi.stubEnv('DATABASE_URL', server);
  let names: string[] = [];
  const remaining = async () => {
    let found: string[] = [];
    await onScratch(async (sql) => {
      const rows = await sql<{ datname: string }[]>`
        SELECT datname FROM pg_database WHERE datname = ANY (${names})`;
      found = rows.map(({ datname }) => datname);
    });
    return found.toSorted();
  };
  await withTwoScratchDatabases(new AbortController().signal, async (urls) => {
    names = urls.map(databaseIn).toSorted();
    // Each new process of the coach ends the sessions of the previous process.
    await onScratch(
      (sql) => sql`
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = ANY (${names})`,
    );
    await dropLeftovers(server);
    expect(await remaining()).toEqual(names);
  });
  expect(names).toHaveLength(2);
  expect(await remaining()).toEqual([]);
});
