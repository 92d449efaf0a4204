import { expect, test } from 'vitest';
import { runWorker } from '../support/command.ts';

// test/platform/db/primary.test.ts tests a short wait for the database.
test('a worker ends with one line if the database cannot be reached for a minute', {
  timeout: 180_000,
}, async () => {
  const worker = runWorker({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/jobs' });
  const { code } = await worker.ended;
  expect([code, worker.stderr()]).toEqual([
    1,
    expect.stringMatching(
      /^Waiting up to 60 s .+\nCannot use PostgreSQL at 127.0.0.1:1\/jobs(?!.*hunter2).+\n$/,
    ),
  ]);
});
