import { expect, test } from 'vitest';
import type { BenchResult } from '../../../proof/bench/bench.ts';
import { run } from '../../support/command.ts';

// This file runs alone, since other work would disturb the measurements. Each bench starts its own
// PostgreSQL, since the account must be a superuser.
const bench = (args: string[]) => run('scripts/bench.ts', args);

const short = ['--seconds', '0.3', '--rounds', '1'];

test('a short run measures both servers, and prints one JSON object', async () => {
  const { ended, stdout, stderr } = bench([...short, '--scenario', 'alone', '--json']);
  expect([await ended, stderr()]).toEqual([{ code: 0, signal: null }, expect.any(String)]);
  const result: BenchResult = JSON.parse(stdout());
  const compared = result.measures.map(({ scenario, of, against, bar }) => [
    scenario,
    of,
    against?.name,
    bar && `at ${bar.at} ${bar.limit}`,
  ]);
  expect(compared).toEqual([
    ['alone', 'group', 'textbook', 'at most 1.1'],
    ['alone', 'group', 'textbook', undefined],
    ['alone', 'group', 'healthz', undefined],
  ]);
  for (const { value, against } of result.measures) {
    expect(value).toBeGreaterThan(0);
    expect(against?.ratio).toBeCloseTo(value / (against?.value ?? 0));
  }
  const { textbook, group } = result.rounds.alone ?? {};
  expect([textbook, group]).toEqual([[figures], [figures]]);
  expect(result.settings).toMatchObject({ rounds: 1, seconds: 0.3 });
  expect(result.machine).toMatchObject({ cpu: expect.any(String), node: process.version });
  expect(result.database).toMatchObject({ fsync: 'on', synchronous_commit: 'on' });
});

test('a short run measures a crowd, or says that the machine is too slow for it', async () => {
  const { ended, stdout, stderr } = bench([...short, '--scenario', 'hot', '--json']);
  const { code } = await ended;
  if (code === 2) expect(stderr()).toMatch(/almost all answers must be \d+, but were \{.*"503"/);
  else {
    const result: BenchResult = JSON.parse(stdout());
    expect(code).toBe(0);
    expect(result.rounds.hot).toEqual({
      textbook: [figures],
      group: [figures],
      healthz: [figures],
    });
  }
});

// The first run downloads the other queues.
test('a short run measures the queue beside the other queues', async () => {
  const { ended, stdout, stderr } = bench([...short, '--scenario', 'queue', '--json']);
  expect([await ended, stderr()]).toEqual([{ code: 0, signal: null }, expect.any(String)]);
  const result: BenchResult = JSON.parse(stdout());
  const rate = { perSecond: expect.any(Number) };
  const ms = expect.any(Number);
  const pickUp = { 'own p50': ms, 'own p99': ms, 'other p50': ms, 'other p99': ms };
  const ofEach = (name: string) => ({
    [`${name}, 1 process`]: [rate],
    [`${name}, 4 processes`]: [rate],
    [`${name}, pick-up`]: [pickUp, pickUp, pickUp],
    [`${name}, size`]: [{ mb: expect.any(Number) }],
  });
  expect(result.rounds.queue).toEqual({
    ...ofEach('rowlock'),
    ...ofEach('graphile-worker'),
    ...ofEach('pg-boss'),
    'rowlock, recovery': [{ ms }],
    'pg-boss, recovery': [{ ms }],
  });
  const bars = result.measures.filter(({ bar }) => bar);
  expect(bars.map(({ unit, of, bar }) => [of, unit, bar?.at, bar?.limit])).toEqual([
    ['rowlock', 'tasks/s', 'least', 1.2],
    ['rowlock', 'tasks/s', 'least', 1.2],
    ['rowlock', 'ms', 'most', 1],
    ['rowlock', 'ms', 'most', 150],
    ['rowlock', 'ms', 'most', 16_000],
  ]);
  // The bar compares with the better of the other queues. The worse queue comes after the better
  // queue.
  const [better, worse] = result.measures.map(({ against }) => against?.value ?? Number.NaN);
  expect(better).toBeGreaterThanOrEqual(worse ?? Number.NaN);
  expect(result.notes.join()).toContain('durable');
}, 180_000);

test('a short run compares the service with the Go server', {
  tags: ['go', 'postgresql'],
  timeout: 180_000,
}, async () => {
  const { ended, stdout, stderr } = bench([...short, '--scenario', 'article', '--json']);
  expect([await ended, stderr()]).toEqual([{ code: 0, signal: null }, expect.any(String)]);
  const result: BenchResult = JSON.parse(stdout());
  // Five crowds at both servers, two of them also without events, and pgbench.
  expect(Object.keys(result.rounds.article ?? {})).toHaveLength(13);
  expect(result.notes).toEqual([expect.stringContaining('pgbench (PostgreSQL)')]);
  const judged = result.measures.filter(({ bar }) => bar);
  expect(judged.map(({ unit, against, bar }) => [against?.name, unit, bar?.limit])).toEqual([
    ['Go', 'claims/s', 1.2],
    ['service without events', 'ms', 1.1],
    ['Go', 'claims/s', 3.5],
    ['Go', 'claims/s', 5],
    ['service without events', 'claims/s', 0.95],
    ['Go', 'refusals/s', 12],
    ['Go', 'refusals/s', 13],
    ['pgbench', 'claims/s', 1.5],
  ]);
});

test('without Go, the report says that the comparison is left out', async () => {
  const { ended, stdout } = bench([...short, '--scenario', 'article', '--json']);
  expect((await ended).code).toBe(0);
  const { notes, measures }: BenchResult = JSON.parse(stdout());
  expect([notes, measures]).toEqual([[expect.stringContaining('go not found on the PATH')], []]);
});

const figures = {
  perSecond: expect.any(Number),
  p50: expect.any(Number),
  p99: expect.any(Number),
};
