import { expect, onTestFinished, test, vi } from 'vitest';
import { ChangedJobs } from '../../src/live/changed-jobs.ts';

/** Makes `ChangedJobs`. The test decides when each read of jobs ends. */
function makeChanged() {
  const readings: { ids: bigint[]; end: (error?: Error) => void }[] = [];
  const onFailure = vi.fn();
  const changed = new ChangedJobs({
    read: (ids) =>
      new Promise((resolve, reject) => {
        readings.push({ ids, end: (error) => (error ? reject(error) : resolve()) });
      }),
    onFailure,
  });
  onTestFinished(() => changed.close());
  const reading = (n: number) => vi.waitFor(() => expect(readings).toHaveLength(n));
  return { changed, readings, reading, onFailure };
}

test('the jobs of one commit are read together, and so are the jobs that change during a reading', async () => {
  const { changed, readings, reading } = makeChanged();
  for (const id of [1n, 2n, 1n]) changed.add(id);
  await reading(1);
  for (const id of [1n, 3n, 3n]) changed.add(id);
  readings[0]?.end();
  await reading(2);
  expect(readings.map(({ ids }) => ids)).toEqual([
    [1n, 2n],
    [1n, 3n],
  ]);
});

test('jobs that could not be read are read again, together with later changes', async () => {
  const { changed, readings, reading, onFailure } = makeChanged();
  changed.add(1n);
  await reading(1);
  changed.add(2n);
  readings[0]?.end(new Error('the database is away'));
  await reading(2);
  expect(onFailure).toHaveBeenCalledTimes(1);
  expect(new Set(readings[1]?.ids)).toEqual(new Set([1n, 2n]));
});

test('a reading takes at most a thousand jobs, and the next reading takes the rest', async () => {
  const { changed, readings, reading } = makeChanged();
  for (let id = 1n; id <= 1_001n; id++) changed.add(id);
  await reading(1);
  readings[0]?.end();
  await reading(2);
  expect(readings.map(({ ids }) => ids.length)).toEqual([1_000, 1]);
});
