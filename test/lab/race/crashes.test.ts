import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { playFree } from '../../../src/explorer/free.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import { retries } from '../../../src/lab/chapters/retries/index.ts';
import type { RetryStrategy } from '../../../src/lab/chapters/retries/strategy.ts';
import { waitlist } from '../../../src/lab/chapters/waitlist/index.ts';
import { type CrashChapter, newCrashResult } from '../../../src/lab/race/crashes/crashes.ts';
import { describeCrashResults, describeCrashRound } from '../../../src/lab/race/crashes/report.ts';
import { raceWithDeaths } from '../../support/crash-race.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/slow/lab/race/crashes.test.ts has more rounds. test/campaigns/lab/race/crashes.test.ts has
// the strategies that do not survive the crashes.
test('production does each task and each charge once in one round, though processes are killed', async ({
  signal,
}) => {
  const workers = { sessions: 5, capacity: 20, rounds: 1 };
  const tasks = await raceWithDeaths(stage, queue, 'production', workers, signal);
  const requests = { sessions: 12, capacity: 4, rounds: 1 };
  const charges = await raceWithDeaths(stage, retries, 'production', requests, signal);
  expect([tasks.faults, charges.faults]).toEqual([{}, {}]);
  expect(tasks.counts).toEqual({ once: 20, twice: 0, lost: 0, stuck: 0 });
  expect(charges.counts).toEqual({ once: 4, twice: 0, never: 0, untold: 0 });
});

test('production serves the line in its order in one round, though servers are killed', async ({
  signal,
}) => {
  const size = { sessions: 8, capacity: 4, rounds: 1 };
  const { faults, counts } = await raceWithDeaths(stage, waitlist, 'production', size, signal);
  expect(faults).toEqual({});
  expect(counts).toMatchObject({ overtaken: 0, idle: 0 });
});

test('the text about a round names the key of each request, and the answer', async () => {
  const size = { sessions: 3, capacity: 2 };
  const chapter = retries as unknown as CrashChapter;
  const strategy: RetryStrategy = {
    ...{ name: 'mine', idea: '', promise: 'nothing' },
    async handle(db, { key }) {
      await db.execute(sql`select ${key}::text`);
      return { kind: 'done', receipt: 1 };
    },
  };
  const seen: string[] = [];
  const trial = chapter.trial(strategy, chapter.race.situation(size), size.sessions);
  const { endings, summary } = await playFree(stage, trial, {
    deaths: [undefined, undefined, { step: 1, isSent: false }],
    onSeen: ({ session, statement }) =>
      seen.push(`Request ${session} with key ${statement?.params[0]}`),
  });
  const told = describeCrashRound(chapter, 'mine', { endings, summary, faults: [] }, size);
  expect(told).toContain('\n  Request 1 with key k: done\n  Request 2 with key k2: done\n');
  expect(told).toContain('\n  Request 3 with key k: killed\n');
  for (const name of ['Request 1 with key k', 'Request 2 with key k2'])
    expect(seen).toContain(name);
});

test.each([
  ['', /killed\n/],
  ['as we know it', /killed +how\n/],
])('the table has a column for the idea only if the strategy has an idea: %j', (idea, head) => {
  const result = newCrashResult('retries', 'mine', 'once');
  const order = { sessions: 3, capacity: 2, rounds: 1 };
  const chapter = retries as unknown as CrashChapter;
  expect(describeCrashResults(chapter, [result], [{ idea }], order)).toMatch(head);
});

test('a server that dies loses its memory', async () => {
  const strategy = retries.strategies.find(({ name }) => name === 'promise-map');
  if (!strategy) throw new Error('retries has no strategy promise-map');
  const trial = retries.trial(strategy, retries.crowd, 1);
  // The server dies before its charge. If its memory survived, the stored promise would let the
  // client wait for ever.
  const played = await playFree(stage, trial, { deaths: [{ step: 2, isSent: false }] });
  expect(played).toMatchObject({ faults: [], endings: [{ died: true }] });
  expect(played.summary).toBe(
    'charged once, and the client heard: nothing, since the server died; then done, receipt 1; then done, receipt 1',
  );
});

test('a race has no more keys than requests, so each key has a request', async ({ signal }) => {
  const order = { sessions: 2, capacity: 5, rounds: 1 };
  const { counts } = await raceWithDeaths(stage, retries, 'production', order, signal);
  expect(counts).toEqual({ once: 2, twice: 0, never: 0, untold: 0 });
});
