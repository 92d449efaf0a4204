import { expect, test } from 'vitest';
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

test('every clock jumps two days ahead when time passes', async () => {
  const stage = await makeStage();
  const [session] = await stage.sessions(1);
  const ahead = async (clock: string) => {
    const text = withLabTime(`select ${clock}::timestamptz - pg_catalog.now() > '1 day' as ahead`);
    const [row] = (await session?.session.run({ text, params: [], asArrays: false })) ?? [];
    return (row as unknown as { ahead: boolean } | undefined)?.ahead;
  };
  for (const clock of CLOCKS) expect([clock, await ahead(clock)]).toEqual([clock, false]);
  await stage.passTime();
  for (const clock of CLOCKS) expect([clock, await ahead(clock)]).toEqual([clock, true]);
});

test('a keyword of the clock is replaced, but not in a text, a quoted name or a comment', () => {
  const kept = `select 'it''s current_date', "current_date", my_current_date -- current_date`;
  expect(withLabTime(kept)).toBe(kept);
  expect(withLabTime(`${kept}\nwhere Current_Date > x`)).toBe(
    `${kept}\nwhere lab_time."current_date"() > x`,
  );
});
