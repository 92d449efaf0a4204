import { expect, test } from 'vitest';
import { drizzleDatabases } from '../../src/explorer/databases.ts';
import { Stage } from '../../src/explorer/stage.ts';
import { withLabTime } from '../../src/explorer/time.ts';
import { makeStage } from '../support/stage.ts';

const CLOCKS = [
  'now()',
  'statement_timestamp()',
  'transaction_timestamp()',
  'clock_timestamp()',
  'CURRENT_TIMESTAMP',
  'localtimestamp',
  'current_date',
];

/** Returns a function that says whether a clock of a session is ahead. */
async function openClocks(stage: Stage) {
  const [session] = await stage.sessions(1);
  return async (clock: string) => {
    const text = withLabTime(`select ${clock}::timestamptz - pg_catalog.now() > '1 day' as ahead`);
    const [row] = (await session?.session.run({ text, params: [], asArrays: false })) ?? [];
    return (row as unknown as { ahead: boolean } | undefined)?.ahead;
  };
}

test('every clock jumps two days ahead when time passes', async () => {
  const stage = await makeStage();
  const ahead = await openClocks(stage);
  for (const clock of CLOCKS) expect([clock, await ahead(clock)]).toEqual([clock, false]);
  await stage.passTime();
  for (const clock of CLOCKS) expect([clock, await ahead(clock)]).toEqual([clock, true]);
});

test('a new stage sets the clock of its database back', async () => {
  const before = await makeStage();
  await before.sessions(1);
  await before.passTime();
  const after = new Stage(before.url, drizzleDatabases());
  try {
    const ahead = await openClocks(after);
    expect(await ahead('now()')).toBe(false);
  } finally {
    await after.close();
  }
});

test('a keyword of the clock is replaced, but not in a text, a quoted name or a comment', () => {
  const kept = `select 'it''s current_date', "current_date", my_current_date -- current_date`;
  expect(withLabTime(kept)).toBe(kept);
  expect(withLabTime(`${kept}\nwhere Current_Date > x`)).toBe(
    `${kept}\nwhere lab_time."current_date"() > x`,
  );
});
