import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/db/client.ts';
import { findJobs } from '../../src/jobs/queries.ts';
import { makeDatabase } from '../support/database.ts';

test('a session prepares one statement, however many jobs it reads', async () => {
  const { db, close } = connect(await makeDatabase(), { connections: 1 });
  onTestFinished(close);
  expect(await findJobs(db, [])).toEqual([]);
  for (const ids of [[1n], [2n, 3n], [5n, 4n, 24n], [9n, 9n, 10_000n]]) {
    const found = (await findJobs(db, ids)).map(({ id }) => id);
    const there = [...new Set(ids)].filter((id) => id <= 24n).sort((a, b) => Number(a - b));
    expect(found).toEqual(there);
  }
  const prepared = await db.execute(sql`SELECT statement FROM pg_prepared_statements`);
  expect(prepared.filter(({ statement }) => /from "jobs"/.test(String(statement)))).toHaveLength(1);
});
