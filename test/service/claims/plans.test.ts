import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { compiledForGrowth } from '../../../src/platform/db/compiled.ts';
import { QUEUE_LIMITS } from '../../../src/service/claims/limits.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

/** PostgreSQL plans a prepared statement this many times before it may keep a plan. */
const PLANNED_FIRST = 5;

test('PostgreSQL keeps the plans of the three statements of a claim', async () => {
  const { db, close } = connect(await makeDatabase(), { connections: 1 });
  atEnd(close);
  // Another test of this process may have granted so many claims that PostgreSQL plans anew.
  vi.resetModules();
  const { ClaimQueue } = await import('../../../src/service/claims/group-commit.ts');
  const queue = new ClaimQueue(db, QUEUE_LIMITS, () => undefined);
  for (let jobId = 1n; jobId <= 20n; jobId++)
    expect((await queue.claim({ jobId, recruiterId: 1n })).kind).toBe('claimed');
  const plans = await db.execute<{ planned: number; kept: number }>(sql`
    SELECT custom_plans::int AS planned, generic_plans::int AS kept FROM pg_prepared_statements
    WHERE statement ~ 'for update|for key share|insert into "job_claims"'`);
  const each = { planned: PLANNED_FIRST, kept: 20 - PLANNED_FIRST };
  expect([...plans]).toEqual([each, each, each]);
});

test('the text of a statement changes only when the number of rows has grown fourfold', () => {
  let rows = 0;
  const compiled = compiledForGrowth(sql`select 1`, () => rows);
  const textAt = (count: number) => {
    rows = count;
    return new PgDialect().sqlToQuery(compiled({})).sql;
  };
  const texts = [0, 1, 64, 65, 256, 257, 1_024, 1_025].map(textAt);
  expect(texts.map((text) => text.trim())).toEqual(texts.map(() => 'select 1'));
  expect(new Set(texts).size).toBe(4);
  expect(textAt(256)).toBe(textAt(65));
});
