import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { connect } from '../../../../src/platform/db/client.ts';
import { NOTHING_RAN } from '../../../../src/platform/db/sqlstate.ts';
import { makeDatabase } from '../../../support/database.ts';
import { makeHangingWay } from '../../../support/hanging-way.ts';

test.concurrent('if every connection hangs, a user gets the error NOTHING_RAN in time', async () => {
  const way = await makeHangingWay(await makeDatabase(), Number.POSITIVE_INFINITY);
  const { db, load, close } = connect(way.url, { connections: 2 });
  const asked = [1, 2, 3, 4].map(() => db.execute(sql`SELECT 1`));
  for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ cause: { code: NOTHING_RAN } });
  expect(load()).toEqual({ lent: 0, waiting: 0 });
  await close();
});

test.concurrent('there are never more connections than the size of the pool', async () => {
  const way = await makeHangingWay(await makeDatabase(), 1);
  const { db, close } = connect(way.url, { connections: 3 });
  const asked = Array.from({ length: 50 }, () => db.execute(sql`SELECT pg_backend_pid() AS pid`));
  // On a busy machine, some users get no session in time.
  const answers = await Promise.allSettled(asked);
  const rows = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  expect(rows).not.toHaveLength(0);
  expect(new Set(rows.map(({ pid }) => pid)).size).toBeLessThanOrEqual(3);
  expect(way.mostConnections()).toBeLessThanOrEqual(3);
  await close();
});
