import { beforeAll, expect, test } from 'vitest';
import type { Chapter } from '../../../src/lab/chapter.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import { retries } from '../../../src/lab/chapters/retries/index.ts';
import type { RetryStrategy } from '../../../src/lab/chapters/retries/strategy.ts';
import { playFree } from '../../../src/lab/explore/free.ts';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import {
  type CrashChapter,
  hasCrashes,
  raceWithCrashes,
} from '../../../src/lab/race/crashes/crashes.ts';
import type { RaceOrder } from '../../../src/lab/race/race.ts';
import { withoutTransactions } from '../../support/retries.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

function crashChapter(given: Chapter): CrashChapter {
  if (!hasCrashes(given)) throw new Error(`${given.name} has no race with crashes`);
  return given;
}

const WORKERS = { sessions: 5, capacity: 20, rounds: 8 };
/** Each of 4 keys comes in 3 requests. A request dies in a given gap in one of twenty cases. */
const REQUESTS = { sessions: 12, capacity: 4, rounds: 60 };

async function raceOn(given: Chapter, name: string, order: RaceOrder, signal: AbortSignal) {
  const chapter = crashChapter(given);
  const strategy = chapter.strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`${chapter.name} has no strategy ${name}`);
  return raceWithCrashes(stage, chapter, strategy, order, () => undefined, signal);
}
const raceIt = (name: string, signal: AbortSignal) =>
  raceOn(queue as Chapter, name, WORKERS, signal);
const raceRequests = (name: string, signal: AbortSignal) =>
  raceOn(retries as Chapter, name, REQUESTS, signal);

test('production does every task once though workers are killed', async ({ signal }) => {
  const { faults, counts, killed } = await raceIt('production', signal);
  expect(killed).toBeGreaterThan(0);
  expect(faults).toEqual({});
  expect(counts).toEqual({ once: 160, twice: 0, lost: 0, stuck: 0 });
});

test('a worker without a lock does tasks twice', async ({ signal }) => {
  const { faults, counts } = await raceIt('select-then-update', signal);
  expect(faults.twice).toBeGreaterThan(0);
  expect(counts.twice).toBeGreaterThan(0);
});

test('workers that mark tasks and die leave tasks unfinished', async ({ signal }) => {
  const { counts } = await raceIt('skip-locked', signal);
  expect(counts.twice).toBe(0);
  expect(counts.stuck).toBeGreaterThan(0);
});

test('production charges once for each key though servers are killed', async ({ signal }) => {
  const { faults, counts, killed } = await raceRequests('production', signal);
  expect(killed).toBeGreaterThan(0);
  expect(faults).toEqual({});
  expect(counts).toEqual({ once: 240, twice: 0, never: 0, untold: 0 });
});

test('production charges twice without its transaction', async ({ signal }) => {
  const { strategies } = retries;
  const production = strategies.find(({ name }) => name === 'production') as RetryStrategy;
  const changed = { ...retries, strategies: [withoutTransactions(production)] };
  const { faults, counts } = await raceOn(changed as Chapter, 'production', REQUESTS, signal);
  expect(faults).toHaveProperty('twice');
  expect(counts.twice).toBeGreaterThan(0);
});

test('requests that look before they insert charge twice', async ({ signal }) => {
  const { counts } = await raceRequests('check-then-act', signal);
  expect(counts.twice).toBeGreaterThan(0);
});

test('a server that dies after the key and before the charge never charges', async ({ signal }) => {
  const { faults, counts } = await raceRequests('insert-first', signal);
  expect(counts.twice).toBe(0);
  expect(counts.never).toBeGreaterThan(0);
  expect(faults).toHaveProperty('zombie');
});

test('the memory of a server is gone after its death', async () => {
  const strategy = retries.strategies.find(({ name }) => name === 'promise-map');
  if (!strategy) throw new Error('retries has no strategy promise-map');
  const trial = retries.trial(strategy, retries.crowd, 1);
  // The server dies before its charge. Its promise would let the client wait for ever.
  const played = await playFree(stage, trial, { deaths: [{ step: 2, isSent: false }] });
  expect(played).toMatchObject({ faults: [], endings: [{ died: true }] });
  expect(played.summary).toBe(
    'charged once, and the client heard: done, receipt 1; done, receipt 1',
  );
});

test('a race has no more keys than requests, so each key has a request', async ({ signal }) => {
  const order = { sessions: 2, capacity: 5, rounds: 1 };
  const { counts } = await raceOn(retries as Chapter, 'production', order, signal);
  expect(counts).toEqual({ once: 2, twice: 0, never: 0, untold: 0 });
});
