import { expect, test } from 'vitest';
import { connect } from '../../../../src/platform/db/client.ts';
import { createMetrics } from '../../../../src/service/operation/metrics.ts';
import { startTasks } from '../../../../src/service/program/tasks.ts';
import { enqueue } from '../../../../src/service/queue/enqueue.ts';
import type { TaskKind } from '../../../../src/service/queue/kind.ts';
import { collectLog } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';
import { makeWay } from '../../../support/way.ts';

test('a worker that cannot give its tasks back is cut off at the deadline', async () => {
  const databaseUrl = await makeDatabase();
  const way = await makeWay(databaseUrl);
  const { log, events, requests } = collectLog();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const endless: TaskKind = {
    name: 'endless',
    timeoutMs: 600_000,
    pauseMs: () => 0,
    run({ signal }) {
      begin();
      // The database stops answering when the worker aborts the attempt to give the task back.
      signal.addEventListener('abort', () => way.freeze(true));
      return new Promise(() => undefined);
    },
  };
  const tasks = await startTasks({
    ...{ databaseUrl: way.url, places: 2, log, metrics: createMetrics(), open: undefined },
    kinds: [endless],
  });
  const { db, close } = connect(databaseUrl, { connections: 1 });
  await enqueue(db, [{ kind: 'endless', payload: {}, attempts: 1 }]);
  await begun;
  await tasks.stop();
  await close();
  const told = requests.map(({ event }) => event);
  expect(told).toContain('drain begun');
  expect(told).not.toContain('drained');
  const cut = { event: 'worker cut off at the deadline', milliseconds: expect.any(Number) };
  expect(events).toContainEqual(cut);
});
