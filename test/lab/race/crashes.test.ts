import { beforeAll, expect, test } from 'vitest';
import type { Chapter } from '../../../src/lab/chapter.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import {
  type CrashChapter,
  hasCrashes,
  raceWithCrashes,
} from '../../../src/lab/race/crashes/crashes.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const chapter = crashChapter(queue as Chapter);
function crashChapter(given: Chapter): CrashChapter {
  if (!hasCrashes(given)) throw new Error(`${given.name} has no race with crashes`);
  return given;
}

const ORDER = { sessions: 5, capacity: 20, rounds: 8 };

async function raceIt(name: string, signal: AbortSignal) {
  const strategy = chapter.strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`queue has no strategy ${name}`);
  return raceWithCrashes(stage, chapter, strategy, ORDER, () => undefined, signal);
}

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
