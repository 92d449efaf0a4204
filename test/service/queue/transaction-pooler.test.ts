import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { Poller } from '../../../src/service/operation/poller.ts';
import { enqueue } from '../../../src/service/queue/enqueue.ts';
import type { TaskKind } from '../../../src/service/queue/kind.ts';
import { startWorker } from '../../../src/service/queue/worker/worker.ts';
import { collectLog } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabaseWith } from '../../support/database.ts';
import { makePooler } from '../../support/pooler.ts';

const TASKS = 400;

describe('two workers behind PgBouncer in transaction mode', { tags: ['pgbouncer'] }, () => {
  test('do each task once, even if the backends of PgBouncer are killed', async () => {
    const databaseUrl = await makeDatabaseWith('default_transaction_isolation', 'repeatable read');
    const url = await makePooler(databaseUrl, { mode: 'transaction', size: 3 });
    const admin = postgres(databaseUrl, { max: 1 });
    atEnd(() => admin.end());
    const kill = () => admin`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'rowlock'`;
    const runs = new Map<number, number>();
    const kind: TaskKind<number> = {
      name: 'counted',
      timeoutMs: 5_000,
      pauseMs: () => 10,
      run: async ({ payload }) => {
        runs.set(payload, (runs.get(payload) ?? 0) + 1);
        if (payload % 100 === 0) await kill();
        return { kind: 'done' };
      },
    };
    const { log } = collectLog();
    const { db, close } = connect(url, { pooler: 'transaction' });
    atEnd(close);
    const options = {
      db,
      poller: new Poller(db),
      kinds: [kind],
      places: 20,
      perLane: 20,
      version: 'test',
      log,
    };
    const workers = [await startWorker(options), await startWorker(options)];
    atEnd(() => Promise.all(workers.map((worker) => worker.stop(1_000))));
    const payloads = Array.from({ length: TASKS }, (_, n) => n);
    const ids = await enqueue(
      db,
      payloads.map((payload) => ({ kind: 'counted', payload, attempts: 3 })),
    );
    expect(ids).toHaveLength(TASKS);
    for (const worker of workers) worker.wake();
    const done = async () => {
      const [row] = await admin`SELECT count(*)::int AS n FROM tasks WHERE ended = 'done'`;
      expect(row?.n).toBe(TASKS);
    };
    // If a worker loses the answer to a claim, the claimed tasks wait for the end of their lease of
    // 15 seconds.
    await vi.waitFor(done, 60_000);
    expect(runs.size).toBe(TASKS);
    expect([...runs.values()].filter((times) => times > 1)).toEqual([]);
  }, 90_000);
});
