import { expect, test } from 'vitest';
import { sendHostile } from '../support/hostile-requests.ts';

// test/campaigns/hostile.test.ts sends ten times as many, and watches the memory.
test('2000 hostile requests get no 5xx and no endless wait', async () => {
  const statuses = await sendHostile(2_000);
  const frequent = [200, 400, 401, 403, 404, 405, 422];
  expect(frequent.filter((status) => !statuses.has(status))).toEqual([]);
});
