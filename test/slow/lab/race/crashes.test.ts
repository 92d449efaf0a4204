import { beforeAll, expect, test } from 'vitest';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { queue } from '../../../../src/lab/chapters/queue/index.ts';
import { retries } from '../../../../src/lab/chapters/retries/index.ts';
import { waitlist } from '../../../../src/lab/chapters/waitlist/index.ts';
import { raceWithDeaths } from '../../../support/crash-race.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const WORKERS = { sessions: 5, capacity: 20, rounds: 4 };
/** Each of 4 keys comes in 3 requests. */
const REQUESTS = { sessions: 12, capacity: 4, rounds: 12 };

test('production does every task once though workers are killed', async ({ signal }) => {
  const { faults, counts, killed } = await raceWithDeaths(
    stage,
    queue,
    'production',
    WORKERS,
    signal,
  );
  expect(killed).toBeGreaterThan(0);
  expect(faults).toEqual({});
  expect(counts).toEqual({ once: 80, twice: 0, lost: 0, stuck: 0 });
});

test('production charges once for each key though servers are killed', async ({ signal }) => {
  const { faults, counts, killed } = await raceWithDeaths(
    stage,
    retries,
    'production',
    REQUESTS,
    signal,
  );
  expect(killed).toBeGreaterThan(0);
  expect(faults).toEqual({});
  expect(counts).toEqual({ once: 48, twice: 0, never: 0, untold: 0 });
});

test('production serves the line in its order though servers are killed', async ({ signal }) => {
  const size = { sessions: 8, capacity: 4, rounds: 20 };
  const { faults, counts, killed } = await raceWithDeaths(
    stage,
    waitlist,
    'production',
    size,
    signal,
  );
  expect(killed).toBeGreaterThan(0);
  expect(counts.served).toBeGreaterThan(0);
  expect(faults).toEqual({});
});
