import type { TestContext } from 'vitest';

/**
 * Makes PostgreSQL count the reads of a session immediately. `run` runs a statement in the session.
 * Skips the test on PostgreSQL 14, which cannot do this.
 */
export async function flushStatistics(
  run: (statement: string) => PromiseLike<ArrayLike<unknown>>,
  { skip }: Pick<TestContext, 'skip'>,
) {
  const found = await run(`SELECT FROM pg_proc WHERE proname = 'pg_stat_force_next_flush'`);
  if (found.length === 0) skip('PostgreSQL 14 counts reads later.');
  await run('SELECT pg_stat_force_next_flush()');
}
