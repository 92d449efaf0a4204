import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Trace } from '../../../src/lab/race/trace.ts';
import { connect } from '../../../src/platform/db/client.ts';
import { atEnd } from '../../support/command.ts';
import { makeEmptyDatabase } from '../../support/database.ts';

// test/slow/lab/race/trace.test.ts traces a race with waits.
test('a trace shows the requests and the statements of each session', async () => {
  const trace = new Trace();
  const { db, close } = connect(await makeEmptyDatabase(), { connections: 1, open: trace.open });
  atEnd(close);
  // Before its first statement, a connection sends statements of its own. They must not be in the
  // trace.
  await db.execute(sql`select`);
  trace.startRound('row-lock, round 1');
  const ask = (session: number) =>
    trace.around(session, async () => await db.execute(sql`select ${session}::int`));
  await Promise.all([ask(1), ask(2)]);
  const { traceEvents } = await trace.end();

  const tracks = traceEvents.filter(({ name }) => name === 'thread_name');
  expect(tracks.map(({ args }) => args?.name).toSorted()).toEqual(['Session 1', 'Session 2']);
  for (const session of [1, 2]) {
    const slices = traceEvents.filter(({ ph, tid }) => ph === 'X' && tid === session);
    expect(slices.map(({ name }) => name)).toEqual(['select $1::int', 'request']);
    expect(slices.every(({ dur = -1, ts }) => dur >= 0 && ts > 0)).toBe(true);
  }
});
