import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { sendHostile } from '../support/hostile-requests.ts';

const REQUESTS = 20_000;
/**
 * How much the heap may grow in 16,000 requests. A leak of 1 kB for each request would be 16 MB.
 */
const GROWTH_MB = 10;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_000_000;
}

test(`${REQUESTS} hostile requests get no 5xx, never hang, and do not fill the memory`, async () => {
  let warm = 0;
  const statuses = await sendHostile(REQUESTS, (sent) => {
    if (sent === REQUESTS / 5) warm = heapMb();
  });
  const every = [200, 201, 202, 400, 401, 403, 404, 405, 409, 413, 415, 422];
  expect(every.filter((status) => !statuses.has(status))).toEqual([]);
  expect(heapMb() - warm).toBeLessThan(GROWTH_MB);
}, 300_000);
