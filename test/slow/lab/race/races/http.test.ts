import { describe, expect, test, vi } from 'vitest';
import { makeService } from '../../../../support/app.ts';
import { makeDatabase } from '../../../../support/database.ts';
import { makeRaceCallers } from '../../../../support/race-callers.ts';

describe('the server runs one race over HTTP at a time', () => {
  test('if thirty callers ask at once, one races, twenty wait, and nine get 503 busy', async () => {
    const { url } = await makeService(await makeDatabase());
    const { statuses, ask, end } = makeRaceCallers(url);
    const locations = Array.from({ length: 30 }, () => ask());
    await vi.waitFor(() => expect(statuses).toHaveLength(10), { timeout: 20_000 });
    expect(statuses.toSorted()).toEqual([201, ...Array(9).fill(503)]);
    await Promise.all(locations.map(async (each) => (await each) && end(await each)));
    expect(statuses.toSorted()).toEqual([...Array(21).fill(201), ...Array(9).fill(503)]);
  });
});
