import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { makeTmpDir, runSource } from '../../support/command.ts';
import { done, makeQueue, makeWorker } from '../../support/queue.ts';

const soon = { timeout: 40_000 };

/** Starts a worker in a process of its own. Resolves when the worker looks for tasks. */
async function startProcess(url: string, name: string) {
  const command = runSource('test/queue/worker-process.ts', [url, name]);
  await command.says(/ready/);
  return command;
}

const writtenBy = async ({ db }: Pick<Awaited<ReturnType<typeof makeQueue>>, 'db'>) =>
  (await db.execute(sql`select name from recruiters where name like 'written by %'`)).map(
    ({ name }) => name,
  );

test('the tasks of a killed worker run again after their leases, and its name is free', async () => {
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

test('a task that kills each of its workers ends as dead', async () => {
  const { url, db, add, row, endLeases, ends } = await makeQueue();
  const [id] = await add({ attempts: 2, payload: { act: 'die' } });
  for (const name of ['first', 'second']) {
    const { ended } = runSource('test/queue/worker-process.ts', [url, name]);
    expect((await ended).signal).toBe('SIGKILL');
    await endLeases();
  }
  await makeWorker(db, done);
  await vi.waitFor(async () => expect(await row(id)).toMatchObject({ ended: 'dead' }), soon);
  expect(await row(id)).toMatchObject({ attempt: 2 });
  expect(await ends(id)).toEqual(['lost', 'lost']);
});

test('a frozen worker that lost its task writes nothing after the thaw', async () => {
  const queue = await makeQueue();
  const { url, db, add, row, endLeases } = queue;
  const frozen = await startProcess(url, 'frozen');
  // The attempt ends when the file exists. The worker is frozen before that, and learns of nothing.
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

test('a worker with a blocked event loop knows that it has lost its task, and cannot renew', async () => {
  const queue = await makeQueue();
  const { url, add, row } = queue;
  const blocked = await startProcess(url, 'blocked');
  const [id] = await add({ attempts: 1, payload: { act: 'block', ms: 15_500 } });
  await blocked.says(/ended lost/);
  expect(blocked.stdout()).toContain('able to renew: false');
  expect(blocked.stdout()).toContain('the lease of the task has ended');
  // No other worker has taken the task. So the fence alone would let the outcome pass.
  expect(await writtenBy(queue)).toEqual([]);
  await vi.waitFor(async () => expect(await row(id)).toMatchObject({ ended: 'dead' }), soon);
});
