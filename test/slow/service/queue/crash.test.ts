import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { makeTmpDir, runSource } from '../../../support/command.ts';
import { done, makeQueue, makeWorker } from '../../../support/queue.ts';
import { startProcess, writtenBy } from '../../../support/worker-process.ts';

const soon = { timeout: 40_000 };

test('after a worker is killed, its task and its name become free when their leases end', async () => {
  const { url, db, add, row, endLeases, ends } = await makeQueue();
  const killed = await startProcess(url, 'killed');
  const [id] = await add({ payload: { act: 'hang' } });
  await killed.says(/began/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await endLeases();
  const other = await makeWorker(db, done);
  await vi.waitFor(async () => expect(await row(id)).toMatchObject({ ended: 'done' }), soon);
  expect(await row(id)).toMatchObject({ attempt: 2, worker_id: String(other.worker.id) });
  expect(await ends(id)).toEqual(['lost']);
  await expect(makeWorker(db, done, { name: 'killed' })).rejects.toThrow('A living worker');
  await db.execute(
    sql`update workers set lease_until = statement_timestamp() where name = 'killed'`,
  );
  await makeWorker(db, done, { name: 'killed' });
});

test('a task that kills each of its workers becomes dead', async () => {
  const { url, db, add, row, endLeases, ends } = await makeQueue();
  const [id] = await add({ attempts: 2, payload: { act: 'die' } });
  for (const name of ['first', 'second']) {
    const { ended } = runSource('test/service/queue/worker-process.ts', [url, name]);
    expect((await ended).signal).toBe('SIGKILL');
    await endLeases();
  }
  await makeWorker(db, done);
  await vi.waitFor(async () => expect(await row(id)).toMatchObject({ ended: 'dead' }), soon);
  expect(await row(id)).toMatchObject({ attempt: 2 });
  expect(await ends(id)).toEqual(['lost', 'lost']);
});

// test/campaigns/service/queue/crash.test.ts tests a worker with a blocked event loop.
test('a worker that lost its task while it was frozen writes nothing after the thaw', async () => {
  const queue = await makeQueue();
  const { url, db, add, row, endLeases } = queue;
  const frozen = await startProcess(url, 'frozen');
  // The attempt ends when the file exists. The worker is frozen before the file exists, and does
  // not notice that its lease ends.
  const file = path.join(makeTmpDir(), 'end');
  const [id] = await add({ payload: { act: 'block', ms: 600_000, file } });
  await frozen.says(/began/);
  frozen.child.kill('SIGSTOP');
  await endLeases();
  await makeWorker(db, done);
  await vi.waitFor(async () => expect(await row(id)).toMatchObject({ ended: 'done' }), soon);
  const before = await row(id);
  writeFileSync(file, '');
  frozen.child.kill('SIGCONT');
  await frozen.says(/ended lost/);
  expect(await row(id)).toEqual(before);
  expect(await writtenBy(queue)).toEqual([]);
});
