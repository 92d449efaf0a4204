import { describe, expect, test, vi } from 'vitest';
import { makeApp } from '../../../../support/app.ts';
import { addTask, endless, kindOf, makeWorker, untilStatus } from '../../../../support/tasks.ts';

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000 });

describe.concurrent('POST /tasks/{id}/cancel', () => {
  test('aborts a running attempt, and the outcome of the attempt is not written', async () => {
    const made = await makeApp();
    const aborted = vi.fn();
    const stubborn = kindOf('stubborn', async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted();
      return { kind: 'done' };
    });
    await makeWorker(made.databaseUrl, { kinds: [stubborn], name: 'worker-9' });
    const id = await addTask(made, 'stubborn');
    await untilStatus(made, id, 'running');
    const { body } = await made.call('POST', `/tasks/${id}/cancel`);
    expect(body).toMatchObject({ status: 'cancelled', leaseUntil: null });
    expect(body.attempts).toMatchObject([{ ended: 'cancelled', workerName: 'worker-9' }]);
    await soon(() => expect(aborted).toHaveBeenCalledOnce());
    expect((await made.call('GET', `/tasks/${id}`)).body).toEqual(body);
  });
});

describe.concurrent('GET /workers', () => {
  test('lists workers, the newest first, with their tasks and kinds', async () => {
    const made = await makeApp();
    const kinds = [endless('endless')];
    const old = await makeWorker(made.databaseUrl, { name: 'worker-1' });
    await old.stop(0);
    const other = await makeWorker(made.databaseUrl, { name: 'worker-2' });
    const busy = await makeWorker(made.databaseUrl, { name: 'worker-1', kinds });
    const id = await addTask(made, 'endless');
    await untilStatus(made, id, 'running');
    await soon(async () =>
      expect((await made.call('GET', '/workers?limit=1')).body.workers[0].holds).toEqual([id]),
    );
    const { workers } = (await made.call('GET', '/workers')).body;
    expect(workers[0]).toEqual({
      ...{ id: Number(busy.id), name: 'worker-1', version: '1.2.3', kinds: ['endless'] },
      ...{ status: 'living', places: 4, holds: [id], stoppedAt: null },
      ...{ startedAt: expect.any(String), seenAt: expect.any(String) },
    });
    expect(workers.map(({ name }: { name: string }) => name)).toEqual([
      'worker-1',
      'worker-2',
      'worker-1',
    ]);
    expect(workers[2]).toMatchObject({ status: 'stopped', holds: [] });
    const first = (await made.call('GET', '/workers?limit=2')).body;
    expect(first.nextCursor).toBe(String(other.id));
    const rest = (await made.call('GET', `/workers?limit=2&cursor=${first.nextCursor}`)).body;
    expect([rest.workers.length, rest.nextCursor]).toEqual([1, null]);
  });
});
