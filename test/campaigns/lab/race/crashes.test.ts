import { beforeAll, expect, test } from 'vitest';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { queue } from '../../../../src/lab/chapters/queue/index.ts';
import { retries } from '../../../../src/lab/chapters/retries/index.ts';
import type { RetryStrategy } from '../../../../src/lab/chapters/retries/strategy.ts';
import { waitlist } from '../../../../src/lab/chapters/waitlist/index.ts';
import { raceWithDeaths } from '../../../support/crash-race.ts';
import { withoutTransactions } from '../../../support/retries.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const WORKERS = { sessions: 5, capacity: 20, rounds: 8 };
/** Each of 4 keys comes in 3 requests. One in twenty requests dies between two given statements. */
const REQUESTS = { sessions: 12, capacity: 4, rounds: 60 };

const raceWorkers = (name: string, signal: AbortSignal) =>
  raceWithDeaths(stage, queue, name, WORKERS, signal);
const raceRequests = (name: string, signal: AbortSignal) =>
  raceWithDeaths(stage, retries, name, REQUESTS, signal);

test('workers without a lock do some tasks twice', async ({ signal }) => {
  const { faults, counts } = await raceWorkers('select-then-update', signal);
  expect(faults.twice).toBeGreaterThan(0);
  expect(counts.twice).toBeGreaterThan(0);
});

test('workers that mark tasks and die leave tasks unfinished', async ({ signal }) => {
  const { counts } = await raceWorkers('skip-locked', signal);
  expect(counts.twice).toBe(0);
  expect(counts.stuck).toBeGreaterThan(0);
});

test('production charges twice without its transaction', async ({ signal }) => {
  const { strategies } = retries;
  const production = strategies.find(({ name }) => name === 'production') as RetryStrategy;
  const changed = { ...retries, strategies: [withoutTransactions(production)] };
  const { faults, counts } = await raceWithDeaths(stage, changed, 'production', REQUESTS, signal);
  expect(faults).toHaveProperty('twice');
  expect(counts.twice).toBeGreaterThan(0);
});

test('requests that check for the key before they insert it charge twice', async ({ signal }) => {
  const { counts } = await raceRequests('check-then-act', signal);
  expect(counts.twice).toBeGreaterThan(0);
});

test('if a server dies between the key and the charge, no server charges', async ({ signal }) => {
  const { faults, counts } = await raceRequests('insert-first', signal);
  expect(counts.twice).toBe(0);
  expect(counts.never).toBeGreaterThan(0);
  expect(faults).toHaveProperty('zombie');
});

test.for(['polling', 'offer-after-commit'])(
  'newcomers overtake a line with %s',
  async (name, { signal }) => {
    const size = { sessions: 8, capacity: 4, rounds: 20 };
    const { counts } = await raceWithDeaths(stage, waitlist, name, size, signal);
    expect(counts.overtaken).toBeGreaterThan(0);
  },
);
