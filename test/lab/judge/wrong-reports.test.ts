import { expect, test } from 'vitest';
import { explore, hasAny } from '../../../src/explorer/explore.ts';
import type { Chapter, Situation } from '../../../src/lab/chapter.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import type { QueueStrategy } from '../../../src/lab/chapters/queue/strategy.ts';
import { retries } from '../../../src/lab/chapters/retries/index.ts';
import type { RetryStrategy } from '../../../src/lab/chapters/retries/strategy.ts';
import { loadStrategy } from '../../../src/lab/judge/load-strategy.ts';
import { judgedFolder } from '../../support/judge.ts';
import { makeStage } from '../../support/stage.ts';

const stage = await makeStage();

/** A situation with few schedules in each chapter. */
const QUICK: Record<string, Situation | undefined> = {
  queue: queue.situationsOf({} as QueueStrategy).find(({ name }) => name === 'calm'),
  retries: retries.situationsOf({} as RetryStrategy).find(({ name }) => name === 'two-at-once'),
};

async function faultsOf(chapter: Chapter, name: string, fault: string): Promise<string[]> {
  const { strategy } = await loadStrategy(chapter, `${judgedFolder}/${chapter.name}/${name}.ts`);
  const trial = chapter.trial(strategy, QUICK[chapter.name] ?? chapter.crowd, 2);
  return Object.keys((await explore(stage, trial, { endsAfter: hasAny([fault]) })).faults);
}

test.each([
  ['wrong-says-done', 'misreported'],
  ['wrong-says-lost', 'misreported'],
  ['wrong-says-nothing', 'misreported'],
  ['wrong-never-looks', 'idle'],
  ['wrong-never-writes', 'idle'],
])('in queue, %s falls by %s', async (name, fault) => {
  expect(await faultsOf(queue, name, fault)).toContain(fault);
});

test('in queue, a right strategy misreports nothing', async () => {
  expect(await faultsOf(queue, 'right-fenced-lease', 'misreported')).toEqual([]);
});

test('in retries, a receipt of no charge is untrue', async () => {
  expect(await faultsOf(retries, 'wrong-receipt', 'untrue')).toEqual(['untrue']);
});
