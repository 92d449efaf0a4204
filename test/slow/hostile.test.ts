import { expect, test } from 'vitest';
import { sendHostile } from '../support/hostile-requests.ts';

// test/campaigns/hostile.test.ts sends 20,000 hostile requests, and also measures the memory.
test('2000 hostile requests get no 5xx, and none of them waits for ever', async () => {
  const statuses = await sendHostile(2_000);
  const frequent = [200, 400, 401, 403, 404, 405, 422];
  expect(frequent.filter((status) => !statuses.has(status))).toEqual([]);
});
