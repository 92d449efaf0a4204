import { expect, test } from 'vitest';
import { race } from '../../../../src/lab/race/race.ts';
import { makeService } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';

test('in a race, the strategies naive and transaction oversell, and the strategy row-lock does not', async () => {
  const service = await makeService(await makeDatabase());
  const never = new AbortController().signal;
  const order = { sessions: 12, capacity: 4, rounds: 10 };
  const run = (name: string, promise: 'capacity' | 'nothing') =>
    race(service.url, { chapter: 'claims', name, promise }, order, () => undefined, never);
  for (const name of ['naive', 'transaction']) {
    const result = await run(name, 'nothing');
    expect(result.faults.oversold).toBeGreaterThan(5);
    expect(result.statuses['200']).toBeGreaterThan(40);
  }
  expect(await run('row-lock', 'capacity')).toEqual({
    chapter: 'claims',
    strategy: 'row-lock',
    promise: 'capacity',
    faults: {},
    worst: 4,
    statuses: { 200: 40, 403: 80 },
  });
});
